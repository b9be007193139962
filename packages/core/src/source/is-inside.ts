import { sep } from "node:path";

/** Whether a canonical path is a folder or lies below it; compared by segments, so `/a/bc` is not inside `/a/b`. */
export function isInside(path: string, folder: string): boolean {
  if (path === folder) return true;
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(prefix);
}
