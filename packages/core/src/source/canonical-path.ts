import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode } from "../error-code.ts";

/** The path with every link resolved; one that does not exist is only made absolute. */
export function canonicalPath(path: string): string {
  return resolveLinks(path) ?? resolve(path);
}

/** The path with every link resolved, or nothing when it leads nowhere that can be reached. */
export function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "EACCES") return undefined;
    throw error;
  }
}
