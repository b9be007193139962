import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { lstatOrAbsent } from "./lstat-or-absent.ts";

/**
 * Throws unless a folder is still what its path says, without a link on the way.
 *
 * Places are found by their real paths and used later: a folder that was swapped for a link meanwhile would lead what is
 * renamed or deleted somewhere else.
 */
export function checkRealFolder(folder: string): void {
  const found = canonicalPath(folder);
  if (found !== folder) throw moved(folder, found);
}

/** Whether it is; for whoever leaves alone what is not. */
export function isRealFolder(folder: string): boolean {
  return canonicalPath(folder) === folder;
}

/** Makes a folder and those above it, none of them through a link. */
export async function makeRealFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let current = folder; dirname(current) !== current; current = dirname(current)) {
    if ((await lstatOrAbsent(current)) !== undefined) break;
    missing.push(current);
  }
  for (const path of missing.reverse()) {
    checkRealFolder(dirname(path));
    try {
      await mkdir(path, { mode: 0o775 });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
  checkRealFolder(folder);
}

function moved(folder: string, found: string): SkilletError {
  const message = `${folder} became a link to ${found} while Skillet was at work in it, and is not followed. Put the folder back, or choose another, and run the command again.`;
  return new SkilletError("target-refused", message, {
    data: { path: folder, problem: "became a link meanwhile" },
  });
}
