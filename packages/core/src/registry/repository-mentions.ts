// More than any text about git names; beyond it the skill counts as not wholly read.
const MAX_MENTIONS = 64;
const MENTION = Buffer.from(".git/");
const PATH = /^[\w./@+-]{1,200}/;

/** The paths in a `.git` folder that files of a skill name, and whether there were more than are followed. */
export function repositoryMentions(files: Iterable<{ readonly bytes: Uint8Array }>): {
  readonly paths: readonly string[];
  readonly isCut: boolean;
} {
  const paths = new Set<string>();
  for (const { bytes } of files) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = buffer.indexOf(MENTION); at !== -1; at = buffer.indexOf(MENTION, at + 1)) {
      const start = at + MENTION.length;
      const path = PATH.exec(buffer.toString("latin1", start, start + 200))?.[0].replace(/[./]+$/, "");
      if (path === undefined || path === "" || path.split("/").includes("..")) continue;
      if (paths.size >= MAX_MENTIONS && !paths.has(path)) return { paths: [...paths].sort(), isCut: true };
      paths.add(path);
    }
  }
  return { paths: [...paths].sort(), isCut: false };
}
