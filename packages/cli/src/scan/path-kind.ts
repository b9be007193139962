import { statSync } from "node:fs";

/** What a path leads to; what may not be looked at counts as a folder, whose search then says why. */
export function pathKind(path: string): "nothing" | "file" | "folder" {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return "nothing";
    return status.isDirectory() ? "folder" : "file";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOTDIR", "ENAMETOOLONG"].includes(code)) return "nothing";
    if (["EACCES", "EPERM", "ELOOP"].includes(code)) return "folder";
    throw error;
  }
}
