import { setTimeout as delay } from "node:timers/promises";
import { SkilletError } from "../errors.ts";
import { describeLock, readLock } from "./lock-owner.ts";
import { sweepDeadOwners } from "./sweep-dead-owners.ts";
import { releaseLock, tryAcquireLock } from "./try-acquire-lock.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 2;
const MAX_DELAY_MS = 50;

/**
 * Runs an action while this process, and this call alone, holds a lock file.
 *
 * A lock whose owner has certainly ended is taken over. One that cannot be judged from here (another machine,
 * another container, a damaged file) is waited for and then reported, never broken.
 *
 * @example
 * await withFileLock(`${file}.lock`, async () => writeAtomic(file, change(await readFile(file))));
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
