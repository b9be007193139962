import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { leadsNowhere } from "./leads-nowhere.ts";

/**
 * The one path by which a place is known: through links, and in the spelling that is on disk.
 *
 * What is not there, or cannot be reached, keeps its name below the nearest folder that can.
 */
export function canonicalPath(path: string): string {
  const missing: string[] = [];
  for (let current = resolve(path); ; current = dirname(current)) {
    const resolved = resolveLinks(current);
    if (resolved !== undefined) return join(resolved, missing.reverse().join(sep));
    if (dirname(current) === current) return resolve(path);
    missing.push(basename(current));
  }
}

/** The path with every link resolved, or nothing when it leads nowhere. */
export function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    throw error;
  }
}
