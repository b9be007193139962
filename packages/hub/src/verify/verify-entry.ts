import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { lockedDigest } from "../lock/lock-entry.ts";
import { leadsTo, linkDestination, locateTarget, type TargetBounds } from "../place/locate-target.ts";
import { lstatOrAbsent } from "../place/real-folder.ts";
import type { TreeStore } from "../store/tree-store.ts";
import type { Drift } from "./drift.ts";
import { explainDrift } from "./explain-drift.ts";
import { findDrift } from "./find-drift.ts";

/** What `verifyEntry` may look at. */
export interface VerifyOptions {
  /** See `TargetBounds`. */
  readonly outside?: readonly string[];
  /** Has the bytes that were installed, so that harmless changes can be explained. */
  readonly store?: TreeStore;
  readonly signal?: AbortSignal;
}

/**
 * Hashes what is on disk at every target of an entry and lists each difference; nothing is changed.
 *
 * @example
 * const drifts = await verifyEntry(projectRoot, "pdf", lock.skills.get("pdf"), { store });
 */
export async function verifyEntry(
  root: string,
  name: string,
  entry: LockEntry,
  options: VerifyOptions = {},
): Promise<readonly Drift[]> {
  const bounds: TargetBounds = { root, ...(options.outside && { outside: options.outside }) };
  const drifts: Drift[] = [];
  if (entry.linked !== true && lockedDigest(entry) !== entry.digest)
    drifts.push({
      target: "",
      file: "",
      kind: "changed",
      message: "the lock's digest is not that of the files it lists",
    });
  for (const target of entry.targets) {
    options.signal?.throwIfAborted();
    drifts.push(...(await verifyTarget(target, entry, bounds, options)));
  }
  if (entry.targets.length === 0)
    drifts.push({ target: "", file: "", kind: "missing", message: `${name} has no target in the lock` });
  return drifts;
}

/** The differences at one target. */
export async function verifyTarget(
  target: LockedTarget,
  entry: LockEntry,
  bounds: TargetBounds,
  options: VerifyOptions,
): Promise<readonly Drift[]> {
  const located = locateTarget(target.path, bounds);
  if ("problem" in located) return whole(target, "type", `cannot be looked at: it ${located.problem}`);
  const { place } = located;
  return verifyPlace({ place, lies: place, target, entry, bounds }, options);
}

/** What should lie at a place. */
export interface PlaceToVerify {
  readonly place: string;
  /** Where its content is: the place, or a name beside it while it is being replaced. */
  readonly lies: string;
  readonly target: LockedTarget;
  readonly entry: LockEntry;
  readonly bounds: TargetBounds;
}

/** The differences of what lies, or lay, at the place of a target. */
export async function verifyPlace(
  { place, lies, target, entry, bounds }: PlaceToVerify,
  options: VerifyOptions,
): Promise<readonly Drift[]> {
  const stats = await lstatOrAbsent(lies);
  if (stats === undefined) return whole(target, "missing", "is missing");
  if (target.how === "link") {
    const destination = linkDestination(entry, bounds);
    if (destination === undefined) return whole(target, "link", "has nothing to lead to in the lock");
    const isGone = entry.linked === true && (await lstatOrAbsent(destination)) === undefined;
    if (isGone) return whole(target, "missing", `leads to ${destination}, which is gone`);
    if (destination === place) return [];
    if (!stats.isSymbolicLink()) return whole(target, "type", "is not a link any more");
    return (await leadsTo(lies, destination)) ? [] : whole(target, "link", "leads somewhere else");
  }
  if (!stats.isDirectory())
    return whole(target, "type", stats.isSymbolicLink() ? "is a link instead of a folder" : "is no folder");
  const drifts = await findDrift({
    folder: lies,
    target: target.path,
    files: entry.files,
    ...(options.signal && { signal: options.signal }),
  });
  if (options.store === undefined || drifts.length === 0) return drifts;
  return explainDrift({ drifts, folder: lies, entry, store: options.store });
}

function whole({ path }: LockedTarget, kind: Drift["kind"], message: string): readonly Drift[] {
  return [{ target: path, file: "", kind, message }];
}
