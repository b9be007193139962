import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, lutimesSync, mkdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { otherWriters } from "@skillet/kit/files";

// In the folder of staged skills, a name of 64 hex digits is a skill; every other name begins with a dot.
export const TEMPORARY = ".staging-";
/** The prefix of a copy to be deleted: renamed first, it is never found incomplete under its digest. */
export const REMOVED = ".removed-";

export function stagedPlace(directory: string, digest: Digest): string {
  return join(directory, digest.slice("sha256:".length));
}

export function randomPlace(directory: string, prefix: string): string {
  return join(directory, `${prefix}${randomBytes(16).toString("hex")}`);
}

/** Renames a tree that is to be removed; undefined if it is already gone. */
export async function setAside(place: string, directory: string): Promise<string | undefined> {
  const aside = randomPlace(directory, REMOVED);
  return rename(place, aside).then(() => aside, undefinedOn("ENOENT"));
}

/**
 * Marks a staged skill as used now; false if this user has none to mark. Cleaning spares recently used
 * copies, so a copy that is marked and then found intact can be relied on.
 */
export function markUsed(place: string, now: Date): boolean {
  try {
    lutimesSync(place, now, now);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) return false;
    throw stagingFailed(place, error);
  }
}

export function lastUse(place: string): number | undefined {
  return lstatSync(place, { throwIfNoEntry: false })?.mtimeMs;
}

export function stagingPathRefused(path: string, fault: string): SkilletError {
  const shown = path.slice(0, 200);
  const message = `The skill's path ${JSON.stringify(shown)} ${fault}, so the skill was not staged; rename the file in the skill.`;
  return new SkilletError("staging-path-refused", message, { data: { path: shown } });
}

export function stagingFailed(path: string, cause: unknown): SkilletError {
  if (SkilletError.isInstance(cause)) return cause;
  const errno = errorCode(cause) ?? "unknown error";
  const message = `${path} could not be written (${errno}); check free space and permissions, or set SKILLET_HOME to another folder.`;
  return new SkilletError("staging-failed", message, { data: { path, errno }, cause });
}

export function attempt<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw stagingFailed(path, error);
  }
}

/**
 * Makes a folder private, and refuses one in which another user could swap what is about to run: neither the
 * folder nor the two above it may be a link, belong to another user or be writable by one.
 */
export function ensurePrivateFolder(directory: string): void {
  const parent = dirname(directory);
  for (const folder of [dirname(parent), parent, directory]) {
    attempt(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    const mode = checkFolder(folder);
    if (folder === directory && mode !== 0o700) attempt(folder, () => chmodSync(folder, 0o700));
  }
}

function checkFolder(folder: string): number {
  const unsafe = (fault: string, remedy: string): SkilletError =>
    new SkilletError(
      "staging-folder-unsafe",
      `${folder} ${fault}, so what is staged there could be changed; ${remedy}.`,
      { data: { folder } },
    );
  const stats = attempt(folder, () => lstatSync(folder));
  if (stats.isSymbolicLink())
    throw unsafe("is a link", "put a folder in its place, or set SKILLET_HOME to another one");
  const user = process.getuid?.();
  if (user !== undefined && stats.uid !== user)
    throw unsafe("belongs to another user", "set SKILLET_HOME to a folder of your own");
  if (otherWriters(stats) !== undefined)
    throw unsafe("can be written by others", `chmod go-w ${JSON.stringify(folder)}`);
  return stats.mode & 0o7777;
}
