import { existsSync, lstatSync, mkdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { errorCode, undefinedOn } from "../errors.ts";

/** Resolves links and spells names as on disk; what cannot be reached is kept as given. */
export function canonicalPath(path: string): string {
  const missing: string[] = [];
  for (let current = resolve(path); ; current = dirname(current)) {
    const resolved = resolveLinks(current);
    if (resolved !== undefined) return join(resolved, missing.reverse().join(sep));
    if (dirname(current) === current) return resolve(path);
    missing.push(basename(current));
  }
}

/** The path with every link resolved; undefined if it leads nowhere. */
export function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    throw error;
  }
}

/** The status of a file, without following a link; undefined if the path leads nowhere. */
export function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    throw error;
  }
}

/** Whether a canonical path is a folder or below it; compares segments, so `/a/bc` is not inside `/a/b`. */
export function isInside(path: string, folder: string): boolean {
  if (path === folder) return true;
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(prefix);
}

/** Who besides its owner can change a file, or swap a folder's entries; Windows stores that elsewhere. */
export function otherWriters({ mode }: { readonly mode: number }): "everyone" | "group" | undefined {
  if (process.platform === "win32" || (mode & 0o022) === 0) return undefined;
  return (mode & 0o002) === 0 ? "group" : "everyone";
}

/**
 * The paths that others can write to, and the folders above them inside one of `tops`: who can swap a folder
 * can change every file in it. A folder whose entries only their owners may swap, such as /tmp, counts only
 * by itself. Many systems give each user a private group with write access, so groups count only on request.
 */
export function openPlaces(
  paths: readonly string[],
  {
    tops = [],
    who = ["everyone"],
  }: { readonly tops?: readonly string[]; readonly who?: readonly ReturnType<typeof otherWriters>[] } = {},
): readonly string[] {
  const looked = new Set<string>();
  const open: string[] = [];
  for (const path of paths)
    for (
      let place = path;
      !looked.has(place) && (place === path || tops.some((top) => isInside(place, top)));
      place = dirname(place)
    ) {
      looked.add(place);
      const stats = existsSync(place) ? statSync(place, { throwIfNoEntry: false }) : undefined;
      const isSticky = place !== path && ((stats?.mode ?? 0) & 0o1000) !== 0;
      if (stats !== undefined && !isSticky && who.includes(otherWriters(stats))) open.push(place);
    }
  return open.sort();
}

const NOWHERE: ReadonlySet<string> = new Set([
  // Missing, below something that is not a folder, circular, or too long for the file system.
  ...["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"],
  // No permission.
  ...["EACCES", "EPERM"],
  // On a device or a server that is gone.
  ...["EIO", "ENODEV", "ENXIO", "ENOTCONN", "ESTALE", "EHOSTDOWN", "EHOSTUNREACH", "ETIMEDOUT"],
  // Node's own refusal of a NUL, before it asks the system.
  "ERR_INVALID_ARG_VALUE",
]);

/**
 * Whether the error is a fault of the path, since anyone can create such a path, even in a repository. Any
 * other error, such as too many open files, is a fault of the process and is thrown.
 */
export function leadsNowhere(error: unknown): boolean {
  return NOWHERE.has(errorCode(error) ?? "");
}

/** A fact about this user; undefined if the system has no entry for the user, as in many containers. */
export function unlessUnknown(find: () => string): string | undefined {
  try {
    return find();
  } catch (error) {
    return undefinedOn("ERR_SYSTEM_ERROR")(error);
  }
}

/** Like `mkdir -p`. Node's own never returns on /proc, which reports denied folders as missing parents. */
export function makeFolders(path: string, mode = 0o777): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it first.
    if (errorCode(error) !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}
