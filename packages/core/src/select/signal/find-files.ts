/** No more files of one message are compared with the paths of skills, and none with a longer name. */
const MAX_FILES = 20;
const MAX_FILE_CHARACTERS = 260;

/** The files and folders that a text names, with `/`: what has an extension, or two slashes and is no address. */
export function findFiles(text: string): readonly string[] {
  const files = new Set<string>();
  for (const token of text.replaceAll("\\", "/").split(OUTSIDE)) {
    if (files.size >= MAX_FILES) break;
    if (token.length > MAX_FILE_CHARACTERS || token.includes("//")) continue;
    const file = token.replace(/^(?:\.?\/)+|[./-]+$/g, "");
    const name = file.slice(file.lastIndexOf("/") + 1);
    const isPath = file.split("/").length > 2;
    if (isPath || HAS_EXTENSION.test(name)) files.add(file);
  }
  return [...files];
}

// Not by one pattern over the whole text: every such pattern goes back over a long paste again and again.
const OUTSIDE = /[^\w./@+~-]+/;
// `e.g` is none, `a.c` and `x.py` are.
const HAS_EXTENSION = /^(?!(?:e\.g|i\.e)$)[^.].*\.[a-z][a-z0-9]{0,7}$/i;
