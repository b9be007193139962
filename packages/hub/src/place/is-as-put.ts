import { readlink } from "node:fs/promises";
import type { LockEntry } from "../lock/lock-entry.ts";
import { findDrift } from "../verify/find-drift.ts";
import { lstatOrAbsent } from "./lstat-or-absent.ts";
import type { Step } from "./step.ts";

/**
 * Whether a place holds exactly what a step put there, so that nothing is lost with it.
 *
 * After a crash anybody may have written there: that our content is not staged any more does not make what is there ours.
 */
export async function isAsPut(
  { place, puts }: Step,
  entries: ReadonlyMap<string, LockEntry | null>,
): Promise<boolean> {
  const stats = await lstatOrAbsent(place);
  if (stats === undefined || puts === undefined) return false;
  if ("link" in puts) return stats.isSymbolicLink() && (await readlink(place)) === puts.link;
  const files = entries.get(puts.files)?.files;
  if (!stats.isDirectory() || files === undefined) return false;
  const drifts = await findDrift({ folder: place, target: "", files });
  return drifts.every(({ expendable }) => expendable === true);
}
