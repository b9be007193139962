import { hash } from "node:crypto";
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "@skillet/kit/errors";
import { makeFolders } from "@skillet/kit/files";

/** So many sets of roots keep an index, and no more bytes altogether; a hundred thousand skills take 250 MB. */
const MAX_FILES = 16;
const MAX_BYTES = 1024 * 1024 * 1024;

/** Temporary files older than this were left by a write that was cut short. */
const ABANDONED_MS = 3_600_000;

const FOLDER = "selection";
const SUFFIX = ".idx";

/** One file a set of sources, or projects would evict each other. Undefined where nothing can be kept. */
export function selectionCacheFile(directory: string, sourceIds: readonly string[]): string | undefined {
  const folder = join(directory, FOLDER);
  const key = hash("sha256", JSON.stringify(sourceIds), "hex").slice(0, 32);
  try {
    makeFolders(folder, 0o700);
  } catch (error) {
    // Whatever the file system says: a cache that cannot be written must not stop a command.
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
  return join(folder, `${key}${SUFFIX}`);
}

/** Removes the indexes that were written longest ago, beyond the bounds; `kept` stays. */
export function pruneSelectionCache(kept: string, now: number): void {
  const folder = join(kept, "..");
  let files = 0;
  let bytes = 0;
  for (const { path, size, writtenMs } of readEntries(folder).sort(byAge)) {
    if (!path.endsWith(SUFFIX)) {
      if (path.endsWith(".tmp") && now - writtenMs > ABANDONED_MS) removeIfThere(path);
      continue;
    }
    files += 1;
    bytes += size;
    if (path !== kept && (files > MAX_FILES || bytes > MAX_BYTES)) removeIfThere(path);
  }
}

interface CacheEntry {
  readonly path: string;
  readonly size: number;
  readonly writtenMs: number;
}

function byAge(left: CacheEntry, right: CacheEntry): number {
  return right.writtenMs - left.writtenMs || (left.path < right.path ? -1 : 1);
}

// A cache that cannot be looked into is not tidied.
function readEntries(folder: string): CacheEntry[] {
  try {
    return readdirSync(folder).flatMap((name): CacheEntry[] => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() === true ? [{ path, size: stats.size, writtenMs: stats.mtimeMs }] : [];
    });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

// Another process may be about the same, or the folder closed.
function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
