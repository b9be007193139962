import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../errors.ts";
import { readLock } from "./lock-owner.ts";
import { identifyProcess, isProcessGone } from "./process-identity.ts";

// Killed before it had written who it is, a process leaves a file that nobody can be asked about.
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what processes that were killed left of a lock: temporary files, and guards of takeovers; whoever holds the
 * lock calls it.
 *
 * A guard carries the nonce of an owner that is dead. Nobody but the holder owns the lock now, and nonces never come
 * again, so a contender that still holds such a guard looks, finds another owner, and stops.
 */
export async function sweepDeadOwners(lockPath: string): Promise<void> {
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

// Somebody else's in a folder with the sticky bit is theirs to remove.
async function removeUnlessRefused(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    if (!["EACCES", "EPERM", "EISDIR", "ERR_FS_EISDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}
