import { readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import { contains, locateTarget, type TargetBounds } from "./locate-target.ts";

/** What the links of an entry lead to: its copy, or the folder of a linked source; undefined where there is neither. */
export function linkDestination(entry: LockEntry, bounds: TargetBounds): string | undefined {
  if (entry.linked === true && entry.resolved.kind === "local")
    return join(resolve(bounds.root, entry.resolved.path), ...entry.folder.split("/"));
  const copy = entry.targets.find(({ how }) => how === "copy");
  const located = copy === undefined ? undefined : locateTarget(copy.path, bounds);
  return located !== undefined && "place" in located ? located.place : undefined;
}

/** The text of a link: relative, so that a project can move, unless a linked source was named absolutely. */
export function linkText(place: string, destination: string, entry: LockEntry): string {
  if (entry.linked === true && entry.resolved.kind === "local" && isAbsolute(entry.resolved.path))
    return destination;
  return relative(dirname(place), destination).split(sep).join("/");
}

/** Whether a place is, or holds, the very folder that an entry uses as it is: nothing was placed there, and all of it is its owner's. */
export function isUsedInPlace(entry: LockEntry, place: string, bounds: TargetBounds): boolean {
  const source = entry.linked === true ? linkDestination(entry, bounds) : undefined;
  return source !== undefined && contains(place, canonicalPath(source));
}

/** Whether the link at a place leads to a destination, however it is written. */
export async function leadsTo(place: string, destination: string): Promise<boolean> {
  const aim = resolve(dirname(place), await readlink(place));
  return aim === destination || canonicalPath(aim) === canonicalPath(destination);
}
