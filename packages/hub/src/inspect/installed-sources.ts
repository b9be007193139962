import { dirname, isAbsolute, join } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import { readLock } from "../lock/read-lock.ts";
import { identityOf, type Resolved } from "../sources/source.ts";

export interface InstalledSource extends Pick<LockEntry, "kind" | "source" | "resolved" | "digest"> {
  readonly name: string;
  /** The input for `deriveOrigin`. */
  readonly originSource: string;
  readonly pinned?: string;
}

/** Finds the install that a path belongs to; undefined if nothing was installed there. */
export type FindInstalled = (path: string) => InstalledSource | undefined;

// Every command reads this file, so it must not load the scanner.

/**
 * Reads from a user's lock where installed skills came from, by their folders, including copies for other agents.
 *
 * A project's lock comes with its repository and says nothing about whom to trust, so it is not read.
 */
export async function installedSources(options: {
  readonly home: string;
  readonly trustedSources: readonly string[];
}): Promise<FindInstalled> {
  const { home, trustedSources } = options;
  const { skills } = await readLock(join(home, "lock.json"));
  const folders = new Map<string, InstalledSource>();
  for (const [name, { kind, source, resolved, digest, folder, targets, pinned, report }] of skills) {
    // A commit of a fork can be fetched from its parent's address, and a folder may be in an untrusted clone:
    // a community skill remains one.
    const isStrangers = report.origin === "community";
    const trusted = trustedSpelling(identityOf(resolved), trustedSources);
    const installed: InstalledSource = {
      name,
      kind,
      source,
      resolved,
      digest,
      originSource: isStrangers ? "" : originSource(resolved, trusted, folder),
      ...(pinned !== undefined && { pinned: pinned.reason }),
    };
    for (const { path } of targets) {
      const place = isAbsolute(path) ? path : join(home, path);
      folders.set(place, installed);
      // Discovery resolves links in the home's own path; links at the target lead to the copy, which is listed too.
      folders.set(join(canonicalPath(dirname(place)), place.slice(dirname(place).length + 1)), installed);
    }
  }
  return (path) => (folders.size === 0 ? undefined : findAbove(folders, path));
}

function findAbove(folders: ReadonlyMap<string, InstalledSource>, path: string): InstalledSource | undefined {
  for (let folder = path, parent = dirname(path); ; folder = parent, parent = dirname(parent)) {
    const found = folders.get(folder);
    if (found !== undefined) return found;
    if (parent === folder) return undefined;
  }
}

/** The trusted spelling of an identity: its host ignores case; everything else is compared exactly. */
export function trustedSpelling(
  identity: string | undefined,
  trustedSources: readonly string[],
): string | undefined {
  const folded = identity?.toLowerCase();
  return trustedSources.find((trusted) => trusted.toLowerCase() === folded) ?? identity;
}

/** The input for deriving origins: `local` for a local folder, `owner/repository/folder` on a known host. */
export function originSource(resolved: Resolved, identity: string | undefined, folder: string): string {
  if (resolved.kind === "local") return "local";
  if (identity === undefined) return "";
  return folder === "" ? identity : `${identity}/${folder}`;
}
