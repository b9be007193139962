import { lstatSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, undefinedOn } from "@skillet/kit/errors";
import { removeTree } from "@skillet/kit/files";
import { ensurePrivateFolder, lastUse, REMOVED, setAside, TEMPORARY } from "./staging-places.ts";

const HOUR_MS = 60 * 60 * 1000;
const MAX_AGE_MS = 30 * 24 * HOUR_MS;
const MAX_BYTES = 1024 * 1024 * 1024;
// A copy used more recently may be in use: a run lasts ten minutes at most, but may first wait for others.
const MAYBE_IN_USE_MS = 6 * HOUR_MS;

/** Removes long unused staged skills, then the least recently used until the rest fits; never recent ones. */
export async function cleanStaged(request: {
  readonly directory: string;
  readonly now: Date;
  readonly maxBytes?: number;
}): Promise<void> {
  const { directory, now, maxBytes = MAX_BYTES } = request;
  const idleMs = (usedMs: number): number => Math.abs(now.getTime() - usedMs);
  ensurePrivateFolder(directory);
  const copies = await listCopies(directory);
  let bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0);
  for (const { place, usedMs, bytes: size } of copies) {
    const isWanted = now.getTime() - usedMs <= MAX_AGE_MS && bytes <= maxBytes;
    // Checked again: it may have been used since it was listed.
    if (isWanted || idleMs(usedMs) < MAYBE_IN_USE_MS || lastUse(place) !== usedMs) continue;
    await setAside(place, directory);
    bytes -= size;
  }
  const leftovers = readdirSync(directory)
    .filter((name) => name.startsWith(TEMPORARY))
    .map((name) => join(directory, name))
    .filter((place) => idleMs(lastUse(place) ?? 0) >= MAYBE_IN_USE_MS);
  for (const place of leftovers) await setAside(place, directory);
  for (const name of readdirSync(directory))
    if (name.startsWith(REMOVED)) await removeTree(join(directory, name));
}

interface StagedCopy {
  readonly place: string;
  readonly usedMs: number;
  readonly bytes: number;
}

/** Sorted with the least recently used first. */
async function listCopies(directory: string): Promise<readonly StagedCopy[]> {
  const copies: StagedCopy[] = [];
  for (const name of readdirSync(directory)) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const place = join(directory, name);
    const usedMs = lastUse(place);
    if (usedMs === undefined) continue;
    copies.push({ place, usedMs, bytes: await treeSize(place) });
  }
  return copies.sort((left, right) => left.usedMs - right.usedMs || (left.place < right.place ? -1 : 1));
}

const lookedAtMs = new Map<string, number>();

/** Cleans the staged skills at most once an hour; a failed cleaning does not keep a script from running. */
export async function cleanSometimes(directory: string, now: Date): Promise<readonly Diagnostic[]> {
  const last = lookedAtMs.get(directory);
  if (last !== undefined && Math.abs(now.getTime() - last) < HOUR_MS) return [];
  lookedAtMs.set(directory, now.getTime());
  try {
    const stamp = join(directory, ".cleaned");
    const age = now.getTime() - (lastUse(stamp) ?? Number.NEGATIVE_INFINITY);
    // A stamp from the future was set by a wrong clock.
    if (age >= 0 && age < HOUR_MS) return [];
    writeFileSync(stamp, "", { mode: 0o600 });
    utimesSync(stamp, now, now);
    await cleanStaged({ directory, now });
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const message = `Staged skills that are no longer used could not be removed: ${(error as Error).message}`;
    const hint = "Remove the folder by hand when no script runs; it is made again.";
    return [diagnostic("warning", "staging-cleanup-failed", directory, message, hint)];
  }
}

/** The size of all files below a place; files that disappear meanwhile count as zero. */
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
