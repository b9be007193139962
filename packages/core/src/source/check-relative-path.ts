import { SkilletError } from "@skillet/kit/errors";

// Longer than any file system accepts; keeps hostile arguments out of messages and system calls.
const MAX_PATH_CHARACTERS = 4096;

/** Refuses every path that is not a plain relative one, before the disk is touched. */
export function checkRelativePath(path: string): void {
  const fault = findFault(path);
  if (fault === undefined) return;
  const shown = path.slice(0, 200);
  const message = `The path ${JSON.stringify(shown)} ${fault}; pass one inside the skill, with "/" between its parts.`;
  throw new SkilletError("path-invalid", message, { data: { path: shown } });
}

/** Joins a folder of a source and a path below it; the empty folder is the source itself. */
export function pathBelow(folder: string, path: string): string {
  return folder === "" ? path : path === "" ? folder : `${folder}/${path}`;
}

function findFault(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.length > MAX_PATH_CHARACTERS) return `is longer than ${MAX_PATH_CHARACTERS} characters`;
  if (path.includes("\0")) return "holds a NUL";
  if (path.includes("\\")) return "holds a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute";
  // Compared as segments: `..data` is an ordinary name, `a/../b` is not.
  const segments = path.split("/");
  if (segments.some((segment) => segment === "..")) return "leaves its folder";
  if (segments.some((segment) => segment === "" || segment === ".")) return "has an empty part";
  return undefined;
}
