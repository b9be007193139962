// The maximum of common file systems, in bytes of UTF-8.
const MAX_SEGMENT_BYTES = 255;
// Leaves room for the parent folders.
const MAX_PATH_BYTES = 1024;

// Device names on Windows, with any extension: opening `aux.md` there opens a port.
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[ .].*)?$/i;
// Control characters, lone surrogates, line separators, and characters that change the text direction.
const HIDING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
// Invisible characters make two files look alike, and some file systems ignore them.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** The problem with a relative path, as the end of a sentence; undefined if it can be a file on every system. */
export function checkEntryPath(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.startsWith("/")) return "is absolute";
  if (path.includes("\\")) return "has a backslash, which separates folders on some systems";
  if (path.includes(":")) return "has a colon, which names a drive or a hidden stream on some systems";
  if (HIDING.test(path)) return "has a control character or one that hides others";
  // Digests use composed paths, so another spelling would pass for the one that was signed or scanned.
  if (path.normalize("NFC") !== path)
    return "is not in the composed form of Unicode (NFC), in which two spellings of one name are the same";
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  for (const segment of path.split("/")) {
    const problem = checkSegment(segment);
    if (problem !== undefined) return problem;
  }
  return INVISIBLE.test(path) ? "has an invisible character" : undefined;
}

/** Whether a path is an attack rather than merely unusable elsewhere: no repository has one by accident. */
export function isHostilePath(path: string): boolean {
  if (!SUSPECT.test(path)) return false;
  return (
    path === "" ||
    path.includes("\0") ||
    path.split(/[/\\]/).some((segment) => /^\.{0,2}$/.test(segment) || isGit(segment))
  );
}

// A single check that nearly all paths of a large repository pass.
const SUSPECT = /(?:^|[/\\])(?:\.{0,2}(?:[/\\]|$)|\.git|git~)|[^\x20-\x7e]/i;

/** Why these paths cannot be files beside each other on every system; undefined if they can. */
export function findCollisions(paths: readonly string[]): string | undefined {
  const files = new Map<string, string>();
  for (const path of paths) {
    const folded = foldPath(path);
    const twin = files.get(folded);
    if (twin === path) return `${JSON.stringify(path)} is there twice`;
    if (twin !== undefined)
      return `${JSON.stringify(twin)} and ${JSON.stringify(path)} are one file where case or composition does not count`;
    files.set(folded, path);
  }
  return findMixedFolders(files);
}

function checkSegment(segment: string): string | undefined {
  if (segment === "") return "has an empty segment";
  if (segment === ".") return "has the segment .";
  if (segment === "..") return "has the segment .., which leads out of its folder";
  if (/[. ]$/.test(segment))
    return "has a segment that ends with a dot or a space, which some systems cut off";
  if (isGit(segment)) return "has the segment .git, which holds commands that git runs";
  if (RESERVED.test(segment)) return `has the segment ${segment}, which names a device on some systems`;
  if (/[<>"|?*]/.test(segment)) return 'has one of < > " | ? *, which some systems do not allow in names';
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
    return `has a segment of more than ${MAX_SEGMENT_BYTES} bytes`;
  return undefined;
}

// `git~1` is its short name on Windows; ignorable characters vanish on some Apple file systems.
function isGit(segment: string): boolean {
  return /^(?:\.git|git~[0-9]+)[. ]*$/i.test(segment.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
}

/** A folder must always be spelled the same, and must not be a file as well. */
function findMixedFolders(files: ReadonlyMap<string, string>): string | undefined {
  const folders = new Map<string, string>();
  for (const path of files.values()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      const folded = foldPath(folder);
      const file = files.get(folded);
      if (file !== undefined)
        return `${JSON.stringify(file)} is a file and the folder of ${JSON.stringify(path)}`;
      const twin = folders.get(folded);
      // Its parents were checked when it was first seen.
      if (twin === folder) break;
      if (twin !== undefined)
        return `the folders ${JSON.stringify(twin)} and ${JSON.stringify(folder)} are one where case or composition does not count`;
      folders.set(folded, folder);
    }
  }
  return undefined;
}

// Both ways: `ß` and `SS`, `ı` and `I` match only in upper case; the Kelvin sign and `k`, `ẞ` and `ß` only in lower.
function foldPath(path: string): string {
  if (!/[^\x20-\x7e]/.test(path)) return path.toLowerCase();
  return path.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}
