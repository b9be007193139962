import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";

// Below the folder of staged skills. Names of digests are the skills themselves; everything else begins with a dot.
const TEMPORARY = ".staging-";
/** What is moved away before it is removed, so that nobody meets half of it. */
export const REMOVED = ".removed-";

export function stagedPlace(directory: string, digest: Digest): string {
  return join(directory, digest.slice("sha256:".length));
}

export function digestOfName(name: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(name) ? `sha256:${name}` : undefined;
}

/** Where a skill is written before it is whole; it belongs to the lease with that nonce. */
export function temporaryPlace(directory: string, nonce: string): string {
  return join(directory, `${TEMPORARY}${nonce}`);
}

export function nonceOfTemporary(name: string): string | undefined {
  return name.startsWith(TEMPORARY) ? name.slice(TEMPORARY.length) : undefined;
}

export function leasesFolder(directory: string): string {
  return join(directory, ".leases");
}

/** Held while staged skills are moved away. */
export function cleaningLock(directory: string): string {
  return join(directory, ".cleaning.lock");
}

/** Renames a tree, to be removed then: nobody is to meet half of one under a digest's name. */
export async function setAside(place: string, directory: string): Promise<string | undefined> {
  const aside = join(directory, `${REMOVED}${randomBytes(16).toString("hex")}`);
  return rename(place, aside).then(() => aside, undefinedOn("ENOENT"));
}

/** A path that cannot be written without meeting another one, or leaving the folder. */
export function stagingPathRefused(path: string, fault: string): SkilletError {
  const shown = path.slice(0, 200);
  return new SkilletError(
    "staging-path-refused",
    `The skill's path ${JSON.stringify(shown)} ${fault}, so the skill was not staged; rename the file in the skill.`,
    { data: { path: shown } },
  );
}

/** The disk or its permissions are in the way. */
export function stagingFailed(path: string, cause: unknown): SkilletError {
  if (SkilletError.isInstance(cause)) return cause;
  const errno = errorCode(cause) ?? "unknown error";
  return new SkilletError(
    "staging-failed",
    `${path} could not be written (${errno}); check free space and permissions, or set SKILLET_HOME to another folder.`,
    { data: { path, errno }, cause },
  );
}

export function attempt<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw stagingFailed(path, error);
  }
}

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes a folder for its owner alone, and refuses one in which somebody else could swap what is about to run: neither the
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
    throw unsafe("belongs to somebody else", "set SKILLET_HOME to a folder of your own");
  if (user !== undefined && (stats.mode & WRITABLE_BY_OTHERS) !== 0)
    throw unsafe("can be written by others", `chmod go-w ${JSON.stringify(folder)}`);
  return stats.mode & 0o7777;
}

/** Removes a file or a folder with all that is in it, read-only folders too; no link is followed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    undefinedOn("EACCES", "EPERM", "ENOTEMPTY")(error);
    // Only a folder can be in its own way; the mode of what a link leads to is never changed.
    if (!lstatSync(path).isDirectory()) throw error;
    makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

// By hand: a folder that may not be listed has to be opened up before its content is known.
function makeWritable(folder: string): void {
  try {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) makeWritable(join(folder, entry.name));
  } catch (error) {
    // Somebody else removes it at the same time.
    undefinedOn("ENOENT")(error);
  }
}
