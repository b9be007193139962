import { randomBytes } from "node:crypto";
import { link, rename, rm } from "node:fs/promises";
import { errorCode, SkilletError } from "../errors.ts";
import { type LockOwner, readLock } from "./lock-owner.ts";
import { identifyProcess, isProcessGone } from "./process-identity.ts";
import { writeSynced } from "./write-atomic.ts";

// One level per process that died in the middle of a takeover; more than a few in a row is not chance.
const MAX_TAKEOVER_DEPTH = 8;

/**
 * Tries once to own a lock file; returns the nonce to release it with, or undefined while another process has it.
 *
 * The file changes hands in three ways only: absent to owner by an exclusive create, owner to absent by that owner,
 * and dead owner to new owner by a rename. Only the holder of the guard file that carries the dead owner's nonce may
 * do the last, after looking again. A contender whose view is out of date therefore finds another nonce and stops,
 * instead of deleting a lock that is alive by now. Guards are locks of the same kind, so one that a crash left over
 * is taken over in the same way.
 */
export async function tryAcquireLock(path: string): Promise<string | undefined> {
  try {
    return await acquire(path, path, 0);
  } catch (error) {
    throw lockFailed(path, error);
  }
}

/** Releases a lock; a file that was removed or replaced by hand is left alone. */
export async function releaseLock(path: string, nonce: string): Promise<void> {
  if (isHeldBy(path, nonce)) await rm(path, { force: true });
}

async function acquire(path: string, base: string, depth: number): Promise<string | undefined> {
  const reading = readLock(path);
  if (reading.state === "free") return createLock(path);
  if (reading.state === "damaged" || depth >= MAX_TAKEOVER_DEPTH) return undefined;
  if (!isProcessGone(reading.owner, identifyProcess())) return undefined;

  const dead = reading.owner.nonce;
  const guard = `${base}.${dead}`;
  const guardNonce = await acquire(guard, base, depth + 1);
  if (guardNonce === undefined) return undefined;
  try {
    return isHeldBy(path, dead) ? await replaceLock(path) : undefined;
  } finally {
    await releaseLock(guard, guardNonce);
  }
}

function isHeldBy(path: string, nonce: string): boolean {
  const reading = readLock(path);
  return reading.state === "held" && reading.owner.nonce === nonce;
}

async function createLock(path: string): Promise<string | undefined> {
  const owner = newOwner();
  const temporary = await writeOwner(path, owner);
  try {
    await createExclusively(temporary, path, owner);
    return owner.nonce;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    // Over NFS a create whose answer was lost is sent twice, and the second time it meets itself.
    return isHeldBy(path, owner.nonce) ? owner.nonce : undefined;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function replaceLock(path: string): Promise<string> {
  const owner = newOwner();
  const temporary = await writeOwner(path, owner);
  try {
    await rename(temporary, path);
    return owner.nonce;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

// A link makes the name appear with its content complete; created empty and then filled, a lock whose process is
// killed in between would have no owner.
async function createExclusively(temporary: string, path: string, owner: LockOwner): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errorCode(error) ?? "")) throw error;
    // File systems without hard links, such as exFAT and some shared folders.
    await writeExclusively(path, owner);
  }
}

async function writeOwner(path: string, owner: LockOwner): Promise<string> {
  const temporary = `${path}.${owner.nonce}.tmp`;
  await writeExclusively(temporary, owner);
  return temporary;
}

// Synced: the name must not outlive its content in a power cut, since an empty lock file has to be removed by hand.
function writeExclusively(path: string, owner: LockOwner): Promise<void> {
  return writeSynced(path, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
}

function newOwner(): LockOwner {
  return { ...identifyProcess(), nonce: randomBytes(16).toString("hex"), since: new Date().toISOString() };
}

function lockFailed(path: string, cause: unknown): SkilletError {
  if (SkilletError.isInstance(cause)) return cause;
  const code = errorCode(cause) ?? "unknown error";
  const message = `The lock file ${path} could not be created (${code}); check that its folder exists and can be written.`;
  return new SkilletError("lock-failed", message, { data: { lock: path, errno: code }, cause });
}
