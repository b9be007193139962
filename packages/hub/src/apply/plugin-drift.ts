import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { linkDrift } from "../plan/linked-entry.ts";
import { readLinked } from "../plan/read-linked.ts";
import type { Drift } from "../verify/drift.ts";
import { verifyEntry } from "../verify/verify-entry.ts";

/** How an installed plugin differs from the bytes that a person allows something for; empty: in nothing. */
export async function pluginDrift(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<readonly Drift[]> {
  const { root, outside, store, signal } = parts;
  const drift = await verifyEntry(root, name, entry, { outside, store, ...(signal && { signal }) });
  const linked = entry.linked === true ? await linkedDrift(parts, name, entry) : [];
  return [...drift, ...linked].filter((one) => counts(parts, one));
}

// What a system leaves runs nothing. What an interpreter leaves does: it is loaded instead of the program that it was made
// of, and in a project it comes with the next pull.
function counts({ scope }: HubParts, { expendable, file }: Drift): boolean {
  return expendable !== true || (scope.kind === "project" && file.endsWith("/"));
}

// The folder itself is used, so that it is the folder whose bytes must be those that were looked at.
async function linkedDrift(parts: HubParts, name: string, entry: LockEntry): Promise<readonly Drift[]> {
  const lead = linkDrift(parts, entry);
  return lead.length > 0 || (await readLinked(parts, name, entry)) !== undefined
    ? lead
    : [{ target: entry.targets[0]?.path ?? "", file: "", kind: "changed", message: "was changed since" }];
}
