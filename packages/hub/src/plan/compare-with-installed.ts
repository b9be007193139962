import type { TreeFile } from "@skillet/core";
import type { Candidate } from "../candidate/candidate.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { gainedPowers } from "../update/gained-powers.ts";
import { heldAllowances } from "../update/held-allowances.ts";
import {
  abilitiesOf,
  type CapabilityChange,
  type VersionChanges,
  versionChanges,
} from "../update/version-changes.ts";
import { lockedFiles } from "./create-entry.ts";
import type { HubParts } from "./hub-parts.ts";
import { readPlaced } from "./read-placed.ts";

/**
 * What another version changes against the installed one, and what of its permissions holds on.
 *
 * What the installed version can do is told by its bytes: whoever wrote a project's lock could have listed there already
 * what the next version brings, and nobody would be asked.
 */
export async function compareWithInstalled(
  parts: HubParts,
  before: LockEntry,
  { candidate, entry }: { readonly candidate: Candidate; readonly entry: LockEntry },
): Promise<{ readonly entry: LockEntry; readonly changes: VersionChanges }> {
  const compared =
    candidate.parts === undefined ? entry : { ...entry, allowed: heldAllowances(before, entry) };
  if (before.digest === candidate.digest) return { entry: compared, changes: versionChanges(entry, entry) };
  const kept = (await parts.store.get(before.digest)) ?? (await readPlaced(parts, before));
  const changes = await changesSince(parts, before, { kept, entry });
  const gained = gainedPowers(kept && { kind: before.kind, files: kept }, candidate);
  // A variable that is declared and spoken of is one thing to ask about.
  const everything = [...changes.gained, ...gained, ...(kept === undefined ? [UNKNOWN_LIMITS] : [])];
  const all = new Map(everything.map((change) => [change.text, change]));
  return { entry: compared, changes: { ...changes, gained: [...all.values()] } };
}

// What is gone from a header can only be told by the header that had it.
const UNKNOWN_LIMITS: CapabilityChange = {
  kind: "limits",
  value: "unknown",
  text: "may be kept back by less, since nothing is left of the installed version to compare it with",
};

async function changesSince(
  { scan, scope, signal }: HubParts,
  before: LockEntry,
  { kept, entry }: { readonly kept: readonly TreeFile[] | undefined; readonly entry: LockEntry },
): Promise<VersionChanges> {
  if (kept !== undefined) {
    const { capabilities } = await scan(kept, { ...(signal && { signal }) });
    return versionChanges({ files: lockedFiles(kept), capabilities }, entry);
  }
  const changes = versionChanges(before, entry);
  return scope.kind === "user" ? changes : { ...changes, gained: abilitiesOf(entry), lost: [] };
}
