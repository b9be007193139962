import { lstatSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { errorCode, undefinedOn } from "@skillet/kit/errors";
import { releaseLock, tryAcquireLock } from "@skillet/kit/files";
import {
  cleaningLock,
  digestOfName,
  ensurePrivateFolder,
  nonceOfTemporary,
  REMOVED,
  readLeases,
  removeTree,
  setAside,
  stagedPlace,
} from "./staging-places.ts";

const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_BYTES = 1024 * 1024 * 1024;

interface Cleaning {
  readonly removed: readonly Digest[];
  /** Of crashed stagings and broken-off cleanings. */
  readonly leftovers: number;
  /** Of what is still there. */
  readonly bytes: number;
}

/** Removes staged skills that were not used for long, then the least recently used until the rest fits; never one in use. */
export async function cleanStaged(request: {
  readonly directory: string;
  readonly now: Date;
  readonly maxBytes?: number;
}): Promise<Cleaning> {
  const { directory, now, maxBytes = MAX_BYTES } = request;
  ensurePrivateFolder(directory);
  const candidates = await listCandidates(directory);
  let bytes = candidates.reduce((sum, candidate) => sum + candidate.bytes, 0);
  const lock = cleaningLock(directory);
  const nonce = await tryAcquireLock(lock);
  // Somebody else is at it; that is as good.
  if (nonce === undefined) return { removed: [], leftovers: 0, bytes };
  try {
    // Only moved while the lock is held: whoever wants to stage waits for it.
    const leases = await readLeases(directory, now);
    const removed: Digest[] = [];
    for (const { digest, place, usedMs, bytes: size } of candidates) {
      if (now.getTime() - usedMs <= MAX_AGE_MS && bytes <= maxBytes) continue;
      // Used since it was listed: then it is no longer the least recently used one.
      if (leases.digests.has(digest) || lastUse(place) !== usedMs) continue;
      await setAside(place, directory);
      removed.push(digest);
      bytes -= size;
    }
    const leftovers = readdirSync(directory).filter((name) => {
      const owner = nonceOfTemporary(name);
      return owner !== undefined && !leases.nonces.has(owner);
    });
    for (const name of leftovers) await setAside(join(directory, name), directory);
    return { removed, leftovers: leftovers.length, bytes };
  } finally {
    await releaseLock(lock, nonce);
    for (const name of readdirSync(directory))
      if (name.startsWith(REMOVED)) await removeTree(join(directory, name));
  }
}

interface Candidate {
  readonly digest: Digest;
  readonly place: string;
  readonly usedMs: number;
  readonly bytes: number;
}

/** The least recently used comes first. */
async function listCandidates(directory: string): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const name of readdirSync(directory)) {
    const digest = digestOfName(name);
    if (digest === undefined) continue;
    const place = stagedPlace(directory, digest);
    const usedMs = lastUse(place);
    if (usedMs !== undefined) candidates.push({ digest, place, usedMs, bytes: await treeSize(place) });
  }
  return candidates.sort(
    (left, right) => left.usedMs - right.usedMs || (left.digest < right.digest ? -1 : 1),
  );
}

function lastUse(place: string): number | undefined {
  return lstatSync(place, { throwIfNoEntry: false })?.mtimeMs;
}

const INTERVAL_MS = 60 * 60 * 1000;

const lookedAtMs = new Map<string, number>();

/** Cleans the staged skills at most once an hour, whoever asks; a failed cleaning does not keep a script from running. */
export async function cleanSometimes(directory: string, now: Date): Promise<readonly Diagnostic[]> {
  const last = lookedAtMs.get(directory);
  if (last !== undefined && Math.abs(now.getTime() - last) < INTERVAL_MS) return [];
  lookedAtMs.set(directory, now.getTime());
  try {
    const stamp = join(directory, ".cleaned");
    const age = now.getTime() - (lastUse(stamp) ?? Number.NEGATIVE_INFINITY);
    // A stamp from the future is one of a clock that was wrong.
    if (age >= 0 && age < INTERVAL_MS) return [];
    writeFileSync(stamp, "", { mode: 0o600 });
    utimesSync(stamp, now, now);
    await cleanStaged({ directory, now });
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [
      {
        code: "staging-cleanup-failed",
        severity: "warning",
        message: `Staged skills that are no longer used could not be removed: ${(error as Error).message}`,
        file: directory,
        hint: "Remove the folder by hand when no script runs; it is made again.",
      },
    ];
  }
}

/** How many bytes the files below a place have; what disappears meanwhile counts for nothing. */
async function treeSize(path: string): Promise<number> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats?.size ?? 0;
  await nextTurn();
  let bytes = 0;
  for (const name of namesIn(path)) bytes += await treeSize(join(path, name));
  return bytes;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return undefinedOn("ENOENT", "ENOTDIR", "EACCES")(error) ?? [];
  }
}
