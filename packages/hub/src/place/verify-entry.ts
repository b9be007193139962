import { canonicalPath } from "@skillet/kit/files";
import { type Drift, type LockEntry, type LockedTarget, lockedDigest } from "../lock/lock-entry.ts";
import { findDrift } from "./find-drift.ts";
import { leadsTo, linkDestination, locateTarget, type TargetBounds } from "./locate-target.ts";
import { lstatOrAbsent } from "./stage.ts";

/** Hashes every target of an entry and lists each difference from the lock; changes nothing. */
export async function verifyEntry(
  root: string,
  name: string,
  entry: LockEntry,
  where: Omit<TargetBounds, "root"> = {},
): Promise<readonly Drift[]> {
  const bounds = { ...where, root };
  const drifts: Drift[] = [];
  if (entry.linked !== true && lockedDigest(entry) !== entry.digest)
    drifts.push(...whole("", "changed", "the lock's digest is not that of the files it lists"));
  for (const target of entry.targets) {
    bounds.signal?.throwIfAborted();
    drifts.push(...(await verifyTarget(target, entry, bounds)));
  }
  if (entry.targets.length === 0) drifts.push(...whole("", "missing", `${name} has no target in the lock`));
  return drifts;
}

export async function verifyTarget(
  target: LockedTarget,
  entry: LockEntry,
  bounds: TargetBounds,
): Promise<readonly Drift[]> {
  const located = locateTarget(target.path, bounds);
  if ("problem" in located) return whole(target.path, "type", `cannot be looked at: it ${located.problem}`);
  const { place } = located;
  return verifyPlace({ place, lies: place, target, entry }, bounds);
}

export async function verifyPlace(
  looked: {
    readonly place: string;
    /** The current location of its content: the place, or a name beside it while it is being replaced. */
    readonly lies: string;
    readonly target: LockedTarget;
    readonly entry: LockEntry;
  },
  bounds: TargetBounds,
): Promise<readonly Drift[]> {
  const { place, lies, entry } = looked;
  const { path, how } = looked.target;
  const stats = await lstatOrAbsent(lies);
  if (stats === undefined) return whole(path, "missing", "is missing");
  if (how === "link") {
    const destination = linkDestination(entry, bounds);
    if (destination === undefined) return whole(path, "link", "has no destination in the lock");
    const isGone = entry.linked === true && (await lstatOrAbsent(destination)) === undefined;
    if (isGone) return whole(path, "missing", `leads to ${destination}, which is gone`);
    if (destination === place) return [];
    if (!stats.isSymbolicLink()) return whole(path, "type", "is not a link any more");
    // Does not resolve links at a copy's place: that may still be a link to the folder that was installed as one.
    const aim = entry.linked === true ? canonicalPath(destination) : destination;
    return (await leadsTo(lies, aim)) ? [] : whole(path, "link", "leads somewhere else");
  }
  if (!stats.isDirectory())
    return whole(path, "type", stats.isSymbolicLink() ? "is a link instead of a folder" : "is not a folder");
  return findDrift({ folder: lies, target: path, files: entry.files, signal: bounds.signal });
}

function whole(target: string, kind: Drift["kind"], message: string): readonly Drift[] {
  return [{ target, file: "", kind, message }];
}
