import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode, SkilletError } from "../errors.ts";
import { describeLock, readLock } from "./lock-owner.ts";
import { identifyProcess, isProcessGone } from "./process-identity.ts";
import { releaseLock, tryAcquireLock } from "./try-acquire-lock.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 2;
const MAX_DELAY_MS = 50;

/**
 * Runs an action while this process, and this call alone, holds a lock file.
 *
 * A lock whose owner has certainly ended is taken over. One that cannot be judged from here (another machine,
 * another container, a damaged file) is waited for and then reported, never broken.
 */
export async function withFileLock<Result>(
  lockPath: string,
  action: () => Promise<Result>,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
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
  options: { signal?: AbortSignal; timeoutMs?: number },
): Promise<string> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const deadline = performance.now() + timeoutMs;
  for (let attempt = 0; ; attempt++) {
    options.signal?.throwIfAborted();
    const nonce = await tryAcquireLock(lockPath);
    if (nonce !== undefined) return nonce;
    const remaining = deadline - performance.now();
    if (remaining <= 0) throw timedOut(lockPath, timeoutMs);
    await waitFor(Math.min(remaining, jitteredDelay(attempt)), options.signal);
  }
}

async function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

// Without jitter, waiters that started together would collide on every round.
function jitteredDelay(attempt: number): number {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10));
  return ceiling * (0.5 + Math.random() / 2);
}

function timedOut(lockPath: string, timeoutMs: number): SkilletError {
  const reading = readLock(lockPath);
  const message =
    `${lockPath} is held by ${describeLock(reading)}; gave up after ${timeoutMs} ms. ` +
    "Try again when it has finished; if that process no longer exists, delete the lock file.";
  const owner =
    reading.state === "held"
      ? { pid: reading.owner.pid, host: reading.owner.host, since: reading.owner.since }
      : undefined;
  return new SkilletError("lock-timeout", message, {
    data: { lock: lockPath, timeoutMs, ...(owner && { owner }) },
  });
}

// A process that was killed before it wrote its owner leaves a file whose owner cannot be checked.
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what killed processes left of a lock: temporary files, and guards of takeovers. Called by the holder of the
 * lock.
 *
 * A guard carries the nonce of an owner that is dead. Only the holder owns the lock now, and nonces never come
 * again, so a contender that still holds such a guard looks, finds another owner, and stops.
 */
async function sweepDeadOwners(lockPath: string): Promise<void> {
  const [folder, prefix] = [dirname(lockPath), `${basename(lockPath)}.`];
  for (const name of await namesIn(folder)) {
    if (!name.startsWith(prefix) || !LEFT.test(name.slice(prefix.length))) continue;
    const path = join(folder, name);
    if (await isLeft(path)) await removeUnlessRefused(path);
  }
}

const LEFT = /^[0-9a-f]{32}(?:\.[0-9a-f]{32})?(?:\.tmp)?$/;

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // A folder that may be written but not listed has rubbish, and works.
    if (errorCode(error) === "EACCES" || errorCode(error) === "EPERM") return [];
    throw error;
  }
}

async function isLeft(path: string): Promise<boolean> {
  const reading = readLock(path);
  if (reading.state === "held") return isProcessGone(reading.owner, identifyProcess());
  if (reading.state === "free" || !path.endsWith(".tmp")) return false;
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

// In a folder with the sticky bit, files of other users are theirs to remove.
async function removeUnlessRefused(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    if (!["EACCES", "EPERM", "EISDIR", "ERR_FS_EISDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}
