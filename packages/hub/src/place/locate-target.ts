import { lstatSync, type Stats } from "node:fs";
import { readlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import { checkEntryPath } from "../sources/entry-path.ts";

export interface TargetBounds {
  readonly root: string;
  /** Folders that absolute targets may be in, for example a user's home; none for a project's lock. */
  readonly outside?: readonly string[];
  /** Has no effect after the first target is swapped. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds where a target of a lock really is; a lock comes with a repository, so its paths are not trusted.
 *
 * The target itself may be a link; then the link is placed or removed, never what it leads to.
 */
export function locateTarget(
  path: string,
  bounds: TargetBounds,
): { readonly place: string } | { readonly problem: string } {
  const base = baseOf(path, bounds);
  if (typeof base === "object") return base;
  const asked = resolve(bounds.root, path);
  const place = join(canonicalPath(dirname(asked)), basename(asked));
  const root = canonicalPath(base);
  if (place === root || !isInside(place, root))
    return { problem: `leads to ${place} through links, outside ${root}` };
  // A path is checked as if written without the links: `docs -> .git` makes `docs/hooks` git's hooks.
  const problem = checkEntryPath(relative(root, place).split(sep).join("/"));
  if (problem !== undefined) return { problem: `leads to ${place}, which ${problem}` };
  const dangling = findDangling(dirname(place));
  if (dangling !== undefined) return { problem: `leads through ${dangling}, a link to nothing` };
  // Replacing one of these would remove the lock and everything else with it.
  if (isInside(canonicalPath(bounds.root), place)) return { problem: "contains the lock itself" };
  return { place };
}

function baseOf(path: string, { root, outside }: TargetBounds): string | { readonly problem: string } {
  if (!isAbsolute(path)) {
    const problem = checkEntryPath(path);
    return problem === undefined ? root : { problem };
  }
  if (path !== resolve(path)) return { problem: "is not written in its shortest form" };
  const base = outside?.find((folder) => isInside(path, resolve(folder)) && path !== resolve(folder));
  return base ?? { problem: `lies outside ${root}, where this lock may not place anything` };
}

/** A link on the path that does not resolve yet: once something is there, it leads wherever its text says. */
function findDangling(folder: string): string | undefined {
  for (let current = folder; dirname(current) !== current; current = dirname(current)) {
    const stats = lstatOrUnknown(current);
    if (stats !== undefined) return stats.isSymbolicLink() ? current : undefined;
  }
  return undefined;
}

function lstatOrUnknown(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    // A folder that cannot be examined cannot be written either, which is reported on that attempt.
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** The destination of an entry's links: its copy, or the folder of a linked source; undefined if there is neither. */
export function linkDestination(entry: LockEntry, bounds: TargetBounds): string | undefined {
  if (entry.linked === true && entry.resolved.kind === "local")
    return join(resolve(bounds.root, entry.resolved.path), ...entry.folder.split("/"));
  const copy = entry.targets.find(({ how }) => how === "copy");
  const located = copy === undefined ? undefined : locateTarget(copy.path, bounds);
  return located !== undefined && "place" in located ? located.place : undefined;
}

/** The text of a link: relative, so that a project can move, unless a linked source has an absolute path. */
export function linkText(place: string, destination: string, entry: LockEntry): string {
  if (entry.linked === true && entry.resolved.kind === "local" && isAbsolute(entry.resolved.path))
    return destination;
  return relative(dirname(place), destination).split(sep).join("/");
}

/** Whether a place is, or contains, the folder of a linked source: Skillet placed nothing there. */
export function isUsedInPlace(entry: LockEntry, place: string, bounds: TargetBounds): boolean {
  const source = entry.linked === true ? linkDestination(entry, bounds) : undefined;
  return source !== undefined && isInside(canonicalPath(source), place);
}

export async function leadsTo(place: string, destination: string): Promise<boolean> {
  const aim = resolve(dirname(place), await readlink(place));
  return [aim, canonicalPath(aim)].includes(destination);
}
