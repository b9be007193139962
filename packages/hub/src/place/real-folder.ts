import type { Stats } from "node:fs";
import { chmod, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";

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

/** What lies at a path, without following a link there; undefined for nothing. */
export async function lstatOrAbsent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Removes a folder with all that is in it, or a link and never what it leads to; nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EACCES" && code !== "EPERM" && code !== "ENOTEMPTY") throw error;
    // Somebody made a folder in it read-only, which keeps its owner from emptying it.
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openFolders(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
}
