import { fitsRuns } from "./fits-runs.ts";

/**
 * Tells whether a qualified name is on a list of names and patterns with `*`.
 *
 * Bare names do not count: any skill can declare one, and would be allowed in another's place.
 */
export function createAllowList(allowed: readonly string[]): (qualifiedName: string) => boolean {
  const patterns = allowed.map((text) => text.normalize());
  const names = new Set(patterns);
  const wild = patterns
    .filter((pattern) => pattern.includes("*"))
    .map((pattern) => pattern.split("*").map((run) => Array.from(run)));
  // Names are short, and the list is the operator's own.
  const options = {
    fits: (left: string, right: string) => left === right,
    steps: { left: Number.POSITIVE_INFINITY },
  };
  return (qualifiedName) => {
    const name = qualifiedName.normalize();
    return names.has(name) || wild.some((runs) => fitsRuns(Array.from(name), runs, options));
  };
}
