import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { identifyProcess, isProcessGone, readLock, withFileLock } from "@skillet/kit/files";

// Below the folder of staged skills. Names of digests are the skills themselves; everything else begins with a dot.
const TEMPORARY = ".staging-";
/** What is moved away before it is removed, so that half of it is never found there. */
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

function leasesFolder(directory: string): string {
  return join(directory, ".leases");
}

/** Held while staged skills are moved away. */
export function cleaningLock(directory: string): string {
  return join(directory, ".cleaning.lock");
}

/** Renames a tree that is to be removed: half of one must never be found under a digest's name. */
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

// A run lasts ten minutes at most. Beyond a day a lease is left over, even one of a machine that cannot be asked.
const MAX_LEASE_AGE_MS = 24 * 60 * 60 * 1000;

/** Says on disk that a staged skill is in use, for as long as the action takes. */
export async function withLease<Result>(
  request: { readonly directory: string; readonly digest: Digest; readonly clock: () => Date },
  action: (nonce: string) => Promise<Result>,
): Promise<Result> {
  const { directory, digest, clock } = request;
  const nonce = randomBytes(16).toString("hex");
  ensurePrivateFolder(leasesFolder(directory));
  const path = join(leasesFolder(directory), `${digest.slice("sha256:".length)}.${nonce}`);
  const owner = { ...identifyProcess(), nonce, since: clock().toISOString() };
  attempt(path, () => writeFileSync(path, `${JSON.stringify(owner)}\n`, { flag: "wx", mode: 0o600 }));
  try {
    // Whoever cleans takes the lock and then looks at the leases; whoever stages leaves a lease and then looks at the
    // lock. So at least one of the two sees the other, and no lock has to be taken to run a script.
    const lock = cleaningLock(directory);
    if (readLock(lock).state !== "free") await withFileLock(lock, async () => undefined);
    return await action(nonce);
  } finally {
    await rm(path, { force: true });
  }
}

export interface Leases {
  readonly digests: ReadonlySet<Digest>;
  readonly nonces: ReadonlySet<string>;
}

/** Reads the leases, and removes those of processes that have ended. */
export async function readLeases(directory: string, now: Date): Promise<Leases> {
  const digests = new Set<Digest>();
  const nonces = new Set<string>();
  const folder = leasesFolder(directory);
  ensurePrivateFolder(folder);
  for (const name of readdirSync(folder)) {
    const [hex = "", nonce = ""] = name.split(".");
    const digest = digestOfName(hex);
    if (digest === undefined || isOver(join(folder, name), now)) {
      await rm(join(folder, name), { force: true, recursive: true });
      continue;
    }
    digests.add(digest);
    nonces.add(nonce);
  }
  return { digests, nonces };
}

function isOver(path: string, now: Date): boolean {
  const reading = readLock(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (reading.state === "free" || stats === undefined) return true;
  if (now.getTime() - stats.mtimeMs > MAX_LEASE_AGE_MS) return true;
  // A damaged lease may be one that is being written.
  return reading.state === "held" && isProcessGone(reading.owner, identifyProcess());
}
