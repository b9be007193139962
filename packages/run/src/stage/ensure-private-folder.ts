import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { stagingFailed, stagingFolderUnsafe } from "./staging-error.ts";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes a folder for its owner alone, and refuses one in which somebody else could swap what is about to run: the folder
 * and the two above it may be no links, belong to nobody else and be written by nobody else.
 */
export function ensurePrivateFolder(directory: string): void {
  const parent = dirname(directory);
  for (const folder of [dirname(parent), parent, directory]) {
    const mode = checkFolder(folder);
    if (folder === directory && mode !== 0o700) attempt(folder, () => chmodSync(folder, 0o700));
  }
}

function checkFolder(folder: string): number {
  attempt(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const stats = attempt(folder, () => lstatSync(folder));
  if (stats.isSymbolicLink())
    throw stagingFolderUnsafe(
      folder,
      "is a link",
      "put a folder in its place, or set SKILLET_HOME to another one",
    );
  const user = process.getuid?.();
  if (user !== undefined && stats.uid !== user)
    throw stagingFolderUnsafe(folder, "belongs to somebody else", "set SKILLET_HOME to a folder of your own");
  if (user !== undefined && (stats.mode & WRITABLE_BY_OTHERS) !== 0)
    throw stagingFolderUnsafe(folder, "can be written by others", `chmod go-w ${JSON.stringify(folder)}`);
  return stats.mode & 0o7777;
}

function attempt<Result>(folder: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw stagingFailed(folder, error);
  }
}
