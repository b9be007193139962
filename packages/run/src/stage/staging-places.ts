import { chmodSync, type Dirent, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";

// Below the folder of staged skills. Names of digests are the skills themselves; everything else begins with a dot.
const TEMPORARY = ".staging-";
const REMOVED = ".removed-";

/** Where a staged skill lies. */
export function stagedPlace(directory: string, digest: Digest): string {
  return join(directory, digest.slice("sha256:".length));
}

/** The digest that a name in the folder of staged skills stands for. */
export function digestOfName(name: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(name) ? `sha256:${name}` : undefined;
}

/** Where a skill is written before it is whole; it belongs to the lease with that nonce. */
export function temporaryPlace(directory: string, nonce: string): string {
  return join(directory, `${TEMPORARY}${nonce}`);
}

/** The nonce of the lease that a temporary folder belongs to. */
export function nonceOfTemporary(name: string): string | undefined {
  return name.startsWith(TEMPORARY) ? name.slice(TEMPORARY.length) : undefined;
}

/** Where something is moved before it is removed, so that nobody meets half of it. */
export function removedPlace(directory: string, nonce: string): string {
  return join(directory, `${REMOVED}${nonce}`);
}

export function isRemovedName(name: string): boolean {
  return name.startsWith(REMOVED);
}

export function leasesFolder(directory: string): string {
  return join(directory, ".leases");
}

/** Held while staged skills are moved away. */
export function cleaningLock(directory: string): string {
  return join(directory, ".cleaning.lock");
}

/** The files are not the skill that was checked. */
export function stagingMismatch({ expected, found }: { expected: Digest; found: Digest }): SkilletError {
  return new SkilletError(
    "staging-mismatch",
    `The skill's files come to ${found}, not to ${expected}, so nothing was staged; reload the skills and look at what changed.`,
    { data: { expected, found } },
  );
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

/** A folder in which somebody else could change what is about to run. */
function stagingFolderUnsafe(folder: string, fault: string, remedy: string): SkilletError {
  return new SkilletError(
    "staging-folder-unsafe",
    `${folder} ${fault}, so that what is staged there could be changed; ${remedy}.`,
    { data: { folder } },
  );
}

/** The disk or its permissions are in the way. */
export function stagingFailed(path: string, cause: unknown): SkilletError {
  if (SkilletError.isInstance(cause)) return cause;
  const errno = (cause as NodeJS.ErrnoException | null)?.code ?? "unknown error";
  return new SkilletError(
    "staging-failed",
    `${path} could not be written (${errno}); check free space and permissions, or set SKILLET_HOME to another folder.`,
    { data: { path, errno }, cause },
  );
}

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

/** Removes a file or a folder with all that is in it, read-only folders too; no link is followed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    // Only a folder can be in its own way; the mode of what a link leads to is nobody's business here.
    if (!isInTheWay(error) || !lstatSync(path).isDirectory()) throw error;
    makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

// Depth first and by hand: a folder that may not be listed has to be opened up before its content is known.
function makeWritable(root: string): void {
  for (const pending = [root]; ; ) {
    const folder = pending.pop();
    if (folder === undefined) return;
    for (const entry of openUp(folder)) if (entry.isDirectory()) pending.push(join(folder, entry.name));
  }
}

function openUp(folder: string): Dirent[] {
  try {
    chmodSync(folder, 0o700);
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Somebody else removes it at the same time.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function isInTheWay(error: unknown): boolean {
  return ["EACCES", "EPERM", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "");
}
