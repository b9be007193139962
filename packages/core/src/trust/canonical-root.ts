import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../error-code.ts";

/** The one path by which a folder is known, through links and in the spelling that is on disk. */
export function canonicalRoot(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    // A folder that is gone can still be taken out of the store, under the name that it had there.
    if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error;
    const path = resolve(folder);
    return dirname(path) === path ? path : join(canonicalRoot(dirname(path)), basename(path));
  }
}
