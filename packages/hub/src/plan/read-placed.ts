import type { TreeFile } from "@skillet/core";
import { openSource } from "../fetch/open-source.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { locateTarget } from "../place/locate-target.ts";
import { treeDigestOf } from "../tree-digest-of.ts";
import { verifyTarget } from "../verify/verify-entry.ts";
import type { HubParts } from "./hub-parts.ts";

/** The files of an entry as they lie on disk; undefined unless they are exactly what the lock says. */
export async function readPlaced(
  parts: HubParts,
  entry: LockEntry,
): Promise<readonly TreeFile[] | undefined> {
  const { root, outside, fetching, signal } = parts;
  const copy = entry.targets.find(({ how }) => how === "copy");
  const located = copy && locateTarget(copy.path, { root, outside });
  if (copy === undefined || located === undefined || "problem" in located) return undefined;
  const drift = await verifyTarget(copy, entry, { root, outside }, { ...(signal && { signal }) });
  if (drift.length > 0) return undefined;
  const opened = await openSource({ kind: "local", path: located.place }, fetching);
  try {
    const paths = opened.entries.map(({ path }) => path).filter((path) => Object.hasOwn(entry.files, path));
    const files = await opened.read(paths, { ...(signal && { signal }) });
    return treeDigestOf(files) === entry.digest ? files : undefined;
  } finally {
    await opened.close();
  }
}
