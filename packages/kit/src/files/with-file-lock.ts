import { randomBytes } from "node:crypto";
import { link, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode, SkilletError, undefinedOn } from "../errors.ts";
import { parseJson } from "../json.ts";
import { lenient, matching, object, readDocument, text as string, wholeNumber } from "../schema.ts";
import { readInto, withRegularFile } from "./open-regular-file.ts";
import { identifyProcess, isProcessGone, type ProcessIdentity } from "./process-identity.ts";
import { writeSynced } from "./write-atomic.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 2;
const MAX_DELAY_MS = 50;

/**
 * Runs an action while only this call, in this process, holds a lock file.
 *
 * A lock whose owner has certainly ended is taken over. A lock that cannot be judged from here (another
 * machine, another container, a damaged file) is waited for and then reported, never broken.
 */
export async function withFileLock<Result>(
  lockPath: string,
  action: () => Promise<Result>,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number } = {},
): Promise<Result> {
  const nonce = await acquire(lockPath, options);
  try {
    await sweepDeadOwners(lockPath);
    return await action();
  } finally {
    await releaseLock(lockPath, nonce);
  }
}

async function acquire(
  lockPath: string,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: Parameters<typeof withFileLock>[2] & object,
): Promise<string> {
  const deadline = performance.now() + timeoutMs;
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    const nonce = await tryAcquireLock(lockPath);
    if (nonce !== undefined) return nonce;
    const remaining = deadline - performance.now();
    if (remaining <= 0) throw timedOut(lockPath, timeoutMs);
    await delay(Math.min(remaining, jitteredDelay(attempt)), undefined, { signal }).catch(
      (error: unknown) => {
        signal?.throwIfAborted();
        throw error;
      },
    );
  }
}

// Without jitter, waiters that started together would collide on every round.
function jitteredDelay(attempt: number): number {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10));
  return ceiling * (0.5 + Math.random() / 2);
}

function timedOut(lockPath: string, timeoutMs: number): SkilletError {
  const reading = readLock(lockPath);
  let holder = "a process that has just released it";
  let data: Record<string, unknown> = { lock: lockPath, timeoutMs };
  if (reading.state === "damaged") holder = "an unknown process: the lock file is damaged";
  if (reading.state === "held") {
    const { pid, host, since } = reading.owner;
    holder = `process ${pid} on ${JSON.stringify(host)}, since ${since}`;
    data = { ...data, owner: { pid, host, since } };
  }
  const message =
    `${lockPath} is held by ${holder}; gave up after ${timeoutMs} ms. ` +
    "Try again when it has finished; if that process no longer exists, delete the lock file.";
  return new SkilletError("lock-timeout", message, { data });
}

// A process that was killed before it wrote its owner leaves a file that cannot be checked.
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what killed processes left next to a lock: temporary files, and guards of takeovers. Called by the
 * lock's holder.
 *
 * A guard's name contains the nonce of a dead owner. The caller owns the lock now, and nonces never recur, so
 * a contender that still holds such a guard checks again, finds another owner, and stops.
 */
async function sweepDeadOwners(lockPath: string): Promise<void> {
  const [folder, prefix] = [dirname(lockPath), `${basename(lockPath)}.`];
  // If the folder may be written but not listed, leftovers stay, and the lock still works.
  for (const name of (await readdir(folder).catch(undefinedOn("EACCES", "EPERM"))) ?? []) {
    if (!name.startsWith(prefix) || !LEFT.test(name.slice(prefix.length))) continue;
    const path = join(folder, name);
    // In a folder with the sticky bit, only other users can remove their own files.
    if (await isLeft(path)) await rm(path, { force: true }).catch(UNLESS_REFUSED);
  }
}

const LEFT = /^[0-9a-f]{32}(?:\.[0-9a-f]{32})?(?:\.tmp)?$/;
const UNLESS_REFUSED = undefinedOn("EACCES", "EPERM", "EISDIR", "ERR_FS_EISDIR");

async function isLeft(path: string): Promise<boolean> {
  const reading = readLock(path);
  if (reading.state === "held") return isProcessGone(reading.owner, identifyProcess());
  if (reading.state === "free" || !path.endsWith(".tmp")) return false;
  const stats = await stat(path).catch(undefinedOn("ENOENT"));
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS;
}

// One level per process that died in the middle of a takeover; more than a few in a row is not chance.
const MAX_TAKEOVER_DEPTH = 8;

/**
 * Tries once to own a lock file; returns the nonce to release it with, or undefined while another process has it.
 *
 * The file changes hands in only three ways: absent to owner by an exclusive create, owner to absent by that
 * owner, and dead owner to new owner by a rename. Only the holder of the guard file with the dead owner's
 * nonce may do the last, after checking again. A contender with an outdated view therefore finds another
 * nonce and stops, instead of deleting a live lock. Guards are locks too, so a guard left by a crash is taken
 * over in the same way.
 */
export async function tryAcquireLock(path: string): Promise<string | undefined> {
  try {
    return await takeLock(path, path, 0);
  } catch (error) {
    throw lockFailed(path, error);
  }
}

/** Releases a lock; leaves alone a file that was removed or replaced by hand. */
export async function releaseLock(path: string, nonce: string): Promise<void> {
  if (isHeldBy(path, nonce)) await rm(path, { force: true });
}

async function takeLock(path: string, base: string, depth: number): Promise<string | undefined> {
  const reading = readLock(path);
  if (reading.state === "free")
    return writeLock(path, (temporary, owner) => createExclusively(temporary, path, owner));
  if (reading.state === "damaged" || depth >= MAX_TAKEOVER_DEPTH) return undefined;
  if (!isProcessGone(reading.owner, identifyProcess())) return undefined;

  const dead = reading.owner.nonce;
  const guard = `${base}.${dead}`;
  const guardNonce = await takeLock(guard, base, depth + 1);
  if (guardNonce === undefined) return undefined;
  try {
    return isHeldBy(path, dead) ? await writeLock(path, (temporary) => rename(temporary, path)) : undefined;
  } finally {
    await releaseLock(guard, guardNonce);
  }
}

function isHeldBy(path: string, nonce: string): boolean {
  const reading = readLock(path);
  return reading.state === "held" && reading.owner.nonce === nonce;
}

/** Writes a new owner to a temporary file; `put` gives it the lock's name. */
async function writeLock(
  path: string,
  put: (temporary: string, owner: LockOwner) => Promise<void>,
): Promise<string | undefined> {
  const nonce = randomBytes(16).toString("hex");
  const owner = { ...identifyProcess(), nonce, since: new Date().toISOString() };
  const temporary = `${path}.${nonce}.tmp`;
  await writeExclusively(temporary, owner);
  try {
    await put(temporary, owner);
    return nonce;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    // Over NFS, a create whose answer was lost is sent twice, and the second one meets the first.
    return isHeldBy(path, nonce) ? nonce : undefined;
  } finally {
    await rm(temporary, { force: true });
  }
}

// A link makes the name appear with complete content; a lock created empty and then filled would have no
// owner if its process were killed in between.
async function createExclusively(temporary: string, path: string, owner: LockOwner): Promise<void> {
  const unlessWithoutLinks = undefinedOn("EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS");
  const isLinked = await link(temporary, path).then(() => true, unlessWithoutLinks);
  // For file systems without hard links, such as exFAT and some shared folders.
  if (isLinked !== true) await writeExclusively(path, owner);
}

// Synced: in a power cut the name must not outlive its content, as an empty lock file must be removed by
// hand.
function writeExclusively(path: string, owner: LockOwner): Promise<void> {
  return writeSynced(path, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
}

function lockFailed(path: string, cause: unknown): SkilletError {
  if (SkilletError.isInstance(cause)) return cause;
  const code = errorCode(cause) ?? "unknown error";
  const message = `The lock file ${path} could not be created (${code}); check that its folder exists and can be written.`;
  return new SkilletError("lock-failed", message, { data: { lock: path, errno: code }, cause });
}

const MAX_OWNER_BYTES = 4096;

/** The holder of a lock file; the nonce distinguishes two acquisitions by one process. */
interface LockOwner extends ProcessIdentity {
  readonly nonce: string;
  readonly since: string;
}

type LockReading =
  | { readonly state: "free" }
  | { readonly state: "held"; readonly owner: LockOwner }
  | { readonly state: "damaged" };

/** Reads a lock file without waiting; anything but a complete owner counts as damaged, never as free. */
function readLock(path: string): LockReading {
  try {
    const buffer = new Uint8Array(MAX_OWNER_BYTES);
    const length = withRegularFile(path, ({ descriptor }) => readInto(descriptor, buffer));
    const { value: owner } = readDocument(lockOwner, parseJson(buffer.subarray(0, length)));
    return owner === undefined ? { state: "damaged" } : { state: "held", owner };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (error.code === "file-not-found") return { state: "free" };
    if (error.code === "not-a-file" || error.code === "link-refused") return { state: "damaged" };
    throw error;
  }
}

const fact = lenient(string);
const lockOwner = object<LockOwner>({
  // Process ids 0 and below address whole groups.
  pid: wholeNumber(1),
  host: string,
  // The nonce becomes part of a file name, and the time part of a message.
  nonce: matching(/^[0-9a-f]{32}$/, "32 hexadecimal digits"),
  since: matching(/^[0-9TZ:.+-]{1,40}$/, "a time"),
  machine: fact,
  boot: fact,
  pidNamespace: fact,
  started: fact,
});
