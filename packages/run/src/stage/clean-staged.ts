import { lstatSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { errorCode, undefinedOn } from "@skillet/kit/errors";
import { releaseLock, tryAcquireLock } from "@skillet/kit/files";
import { type Leases, readLeases } from "./lease.ts";
import {
  cleaningLock,
  digestOfName,
  ensurePrivateFolder,
  nonceOfTemporary,
  REMOVED,
  removeTree,
  setAside,
  stagedPlace,
} from "./staging-places.ts";

const DEFAULT_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
const DEFAULT_MAX_BYTES = 1024 * 1024 * 1024;

interface CleanRequest {
  readonly directory: string;
  /** Since the last use; default 30 days. */
  readonly maxAgeMs?: number;
  /** Of all staged skills together; the least recently used go first. Default 1 GiB. */
  readonly maxBytes?: number;
  readonly now: Date;
}

interface Cleaning {
  readonly removed: readonly Digest[];
  /** Of crashed stagings and broken-off cleanings. */
  readonly leftovers: number;
  /** Of what is still there. */
  readonly bytes: number;
}

interface Candidate {
  readonly digest: Digest;
  readonly usedMs: number;
  readonly bytes: number;
}

/** Removes staged skills that nobody used for long, then the least recently used until the rest fits; never one in use. */
export async function cleanStaged(request: CleanRequest): Promise<Cleaning> {
  const { directory, now } = request;
  ensurePrivateFolder(directory);
  const candidates = await listCandidates(directory);
  // Somebody else is at it; that is as good.
  const lock = cleaningLock(directory);
  const nonce = await tryAcquireLock(lock);
  const bytes = candidates.reduce((sum, candidate) => sum + candidate.bytes, 0);
  if (nonce === undefined) return { removed: [], leftovers: 0, bytes };
  try {
    // Only moved while the lock is held: whoever wants to stage waits for it.
    return await moveAside(request, candidates, await readLeases(directory, now));
  } finally {
    await releaseLock(lock, nonce);
    for (const name of readdirSync(directory))
      if (name.startsWith(REMOVED)) await removeTree(join(directory, name));
  }
}

async function listCandidates(directory: string): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const name of readdirSync(directory)) {
    const digest = digestOfName(name);
    const usedMs = digest && lastUse(stagedPlace(directory, digest));
    if (digest !== undefined && usedMs !== undefined)
      candidates.push({ digest, usedMs, bytes: await treeSize(stagedPlace(directory, digest)) });
  }
  return candidates.sort(
    (left, right) => left.usedMs - right.usedMs || (left.digest < right.digest ? -1 : 1),
  );
}

async function moveAside(
  request: CleanRequest,
  candidates: readonly Candidate[],
  leases: Leases,
): Promise<Cleaning> {
  const { directory, now, maxAgeMs = DEFAULT_MAX_AGE_MS, maxBytes = DEFAULT_MAX_BYTES } = request;
  const removed: Digest[] = [];
  let bytes = candidates.reduce((sum, candidate) => sum + candidate.bytes, 0);
  for (const candidate of candidates) {
    const { digest, usedMs } = candidate;
    if (now.getTime() - usedMs <= maxAgeMs && bytes <= maxBytes) continue;
    // Used since it was listed: then it is no longer the least recently used one.
    if (leases.digests.has(digest) || lastUse(stagedPlace(directory, digest)) !== usedMs) continue;
    await setAside(stagedPlace(directory, digest), directory);
    removed.push(digest);
    bytes -= candidate.bytes;
  }
  const leftovers = readdirSync(directory).filter((name) => {
    const nonce = nonceOfTemporary(name);
    return nonce === undefined ? false : !leases.nonces.has(nonce);
  });
  for (const name of leftovers) await setAside(join(directory, name), directory);
  return { removed, leftovers: leftovers.length, bytes };
}

function lastUse(place: string): number | undefined {
  return lstatSync(place, { throwIfNoEntry: false })?.mtimeMs;
}

const INTERVAL_MS = 60 * 60 * 1000;

const lookedAtMs = new Map<string, number>();

/** Cleans the staged skills at most once an hour, whoever asks; a cleaning that fails is no reason not to run a script. */
export async function cleanSometimes(directory: string, now: Date): Promise<readonly Diagnostic[]> {
  const last = lookedAtMs.get(directory);
  if (last !== undefined && Math.abs(now.getTime() - last) < INTERVAL_MS) return [];
  lookedAtMs.set(directory, now.getTime());
  try {
    if (!isDue(join(directory, ".cleaned"), now)) return [];
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

function isDue(stamp: string, now: Date): boolean {
  const stats = lstatSync(stamp, { throwIfNoEntry: false });
  const age = stats && now.getTime() - stats.mtimeMs;
  // A stamp from the future is one of a clock that was wrong.
  if (age !== undefined && age >= 0 && age < INTERVAL_MS) return false;
  writeFileSync(stamp, "", { mode: 0o600 });
  utimesSync(stamp, now, now);
  return true;
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
