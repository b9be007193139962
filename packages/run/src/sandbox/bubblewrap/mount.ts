import type { BigIntStats } from "node:fs";

/** One file or folder of the host that a script sees, or one that is hidden from it. */
export interface Mount {
  /** Where the script finds it. */
  readonly path: string;
  /** Where it lies on the host. */
  readonly source: string;
  readonly access: "read-only" | "writable" | "hidden";
  /** Given: the job names it. Guard: it only takes away from what is given. */
  readonly purpose: "given" | "guard";
  /** As it was when it was looked at; a link put in its place later is found out by this. */
  readonly stats: BigIntStats;
}

/** The order in which they have to be mounted: what lies deeper comes later. */
export function inMountOrder(left: Mount, right: Mount): number {
  return depthOf(left.path) - depthOf(right.path) || (left.path < right.path ? -1 : 1);
}

function depthOf(path: string): number {
  return path.split("/").length;
}

/** The mount that decides what a script may do at a path: the nearest one above it, or itself. */
export function nearestMount(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts
    .filter((mount) => isWithin(path, mount.path))
    .reduce<Mount | undefined>(
      (best, mount) => (best === undefined || mount.path.length > best.path.length ? mount : best),
      undefined,
    );
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
