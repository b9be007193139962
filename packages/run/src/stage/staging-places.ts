import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";

// Below the folder of staged skills. Names of digests are the skills themselves; everything else begins with a dot.
const TEMPORARY = ".staging-";
const REMOVED = ".removed-";

/** Where a staged skill lies. */
export function stagedPlace(directory: string, digest: Digest): string {
  return join(directory, digest.slice("sha256:".length));
}

/** The digest that a name in the folder of staged skills stands for. */
export function digestOfName(name: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(name) ? `sha256:${name}` : undefined;
}

/** Where a skill is written before it is whole; it belongs to the lease with that nonce. */
export function temporaryPlace(directory: string, nonce: string): string {
  return join(directory, `${TEMPORARY}${nonce}`);
}

/** The nonce of the lease that a temporary folder belongs to. */
export function nonceOfTemporary(name: string): string | undefined {
  return name.startsWith(TEMPORARY) ? name.slice(TEMPORARY.length) : undefined;
}

/** Where something is moved before it is removed, so that nobody meets half of it. */
export function removedPlace(directory: string, nonce: string): string {
  return join(directory, `${REMOVED}${nonce}`);
}

export function isRemovedName(name: string): boolean {
  return name.startsWith(REMOVED);
}

export function leasesFolder(directory: string): string {
  return join(directory, ".leases");
}

/** Held while staged skills are moved away. */
export function cleaningLock(directory: string): string {
  return join(directory, ".cleaning.lock");
}
