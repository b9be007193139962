import { posix, win32 } from "node:path";

/** The longest path that any system accepts. */
const MAX_PATH_CHARACTERS = 4096;

/**
 * A path from its root with `/` between its parts; undefined if it has no root or is invalid.
 *
 * Follows the form of the paths, not this machine: a detector may examine what an agent elsewhere does.
 */
export function resolvePath(path: string, cwd: string | undefined): string | undefined {
  if (path === "" || path.length > MAX_PATH_CHARACTERS || path.includes("\0")) return undefined;
  if (isWindows(path)) return normaliseWindows(path);
  if (isRooted(path)) return withoutEnd(posix.normalize(path));
  if (cwd === undefined || cwd.length > MAX_PATH_CHARACTERS || cwd.includes("\0")) return undefined;
  if (isWindows(cwd)) return normaliseWindows(`${cwd}\\${path}`);
  return isRooted(cwd) ? withoutEnd(posix.normalize(`${cwd}/${path}`)) : undefined;
}

function isWindows(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}

// Sources that are not folders name their files as `memory:greet/SKILL.md`.
function isRooted(path: string): boolean {
  return path.startsWith("/") || /^[a-z][a-z0-9+.-]+:/.test(path);
}

// A server keeps its double backslash; elsewhere two slashes count as one.
function normaliseWindows(path: string): string | undefined {
  const normal = win32.normalize(path).replaceAll("\\", "/");
  // No server or share has such a name, and nothing can be below it.
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(normal)) return undefined;
  return withoutEnd(normal.replace(/^\/\//, "\\\\"));
}

function withoutEnd(path: string): string {
  return path.endsWith("/") && !/^(?:[A-Za-z]:)?\/$/.test(path) ? path.slice(0, -1) : path;
}
