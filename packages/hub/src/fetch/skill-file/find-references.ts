import { compareByteOrder } from "@skillet/kit/order";
import { checkEntryPath } from "../check-entry-path.ts";

/** Files that a SKILL.md refers to. */
export interface References {
  /** Relative to its folder, in byte order. */
  readonly paths: readonly string[];
  /** The first that leads out of its folder: then nothing is to be fetched. */
  readonly refused?: string;
}

const FOLDERS = "references|templates|scripts|assets|examples";
const IN_FOLDER = new RegExp(`^(?:${FOLDERS})/`);
// Destinations of links and of link definitions, then paths in running text and in code. All lengths are bounded, so
// that no text makes them slow.
const INLINE_LINK = /\]\(\s{0,3}<?([^)\s<>]{1,1024})/g;
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]{0,8}<?([^\s<>]{1,1024})/gm;
const BARE_PATH = new RegExp(`(?<![\\w./#:-])(?:\\./)?((?:${FOLDERS})/[\\w./%-]{1,512})`, "g");

/**
 * Finds what a SKILL.md refers to: files below the usual folders, wherever it names them, and those beside it that it
 * links to. Addresses of other sites are no files of the skill.
 */
export function findReferences(text: string): References {
  const links = [...matches(text, INLINE_LINK), ...matches(text, DEFINITION)].map(pathOf);
  // A sentence may end behind a path; what has no extension is more often prose than a file.
  const bare = matches(text, BARE_PATH)
    .map((path) => pathOf(path.replace(/\.+$/, "")))
    .filter((path) => /\.\w+$/.test(path) || isClimbing(path));
  const found = new Map<string, string>();
  for (const path of [...links, ...bare]) {
    if (isClimbing(path)) return { paths: [], refused: path };
    const isBeside = !path.includes("/") && /\.\w+$/.test(path) && path.toLowerCase() !== "skill.md";
    if (!(isBeside || IN_FOLDER.test(path)) || checkEntryPath(path) !== undefined) continue;
    // Two spellings of one file where case does not count: the first is taken.
    const folded = path.normalize("NFC").toLowerCase();
    if (!found.has(folded)) found.set(folded, path);
  }
  return { paths: [...found.values()].sort(compareByteOrder) };
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, path = ""]) => path);
}

/** The path that a reference means; empty for addresses, anchors and paths from a root. */
function pathOf(reference: string): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(reference)) return "";
  const [path = ""] = reference.split(/[?#]/);
  return decode(path).replace(/^(?:\.\/)+/, "");
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

function isClimbing(path: string): boolean {
  return path.split(/[/\\]/).includes("..");
}
