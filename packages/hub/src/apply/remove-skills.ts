import type { AuditEntry } from "@skillet/core";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Change } from "../place/change.ts";
import { commitChanges } from "../place/commit-changes.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { chosenEntries } from "../plan/plan-update.ts";
import type { HubResult } from "./hub-result.ts";

/** Takes skills away, all of them or none; their files stay in the store, so that they can come back. */
export async function removeSkills(
  parts: HubParts,
  request: { readonly names: readonly string[]; readonly discardEdits: boolean; readonly dryRun: boolean },
): Promise<readonly HubResult[]> {
  const { names, discardEdits, dryRun } = request;
  const chosen = names.length === 0 ? [] : chosenEntries(parts, [...new Set(names)]);
  if (!dryRun && chosen.length > 0)
    await commitChanges({
      lockFile: parts.lockFile,
      root: parts.root,
      store: parts.store,
      outside: parts.outside,
      changes: chosen.map(([name, before]): Change => {
        const record = recordOf(parts, name, before);
        return { kind: "remove", name, before, discardEdits, record };
      }),
      audit: parts.audit,
      onStage: (stage) => parts.onStep({ step: "place", what: stage }),
      ...(parts.signal && { signal: parts.signal }),
    });
  return chosen.map(([name, entry]) => resultOf(parts, name, entry, names));
}

function recordOf({ lockFile: path }: HubParts, skill: string, entry: LockEntry): AuditEntry {
  const { source, digest } = entry;
  return { action: "remove", skill, path, source, replaces: digest, decision: "allow" };
}

function resultOf(parts: HubParts, name: string, entry: LockEntry, removed: readonly string[]): HubResult {
  const { source, resolved, digest, targets } = entry;
  const reasons = [...stillNeeded(parts, name, removed), ...unneeded(parts, entry, removed)];
  return {
    name,
    source,
    resolved,
    digest,
    targets,
    outcome: "removed",
    ...(reasons.length > 0 && { reason: reasons.join(" ") }),
  };
}

// What others need is removed when it is asked for, but not in silence.
function stillNeeded({ lock }: HubParts, name: string, removed: readonly string[]): readonly string[] {
  const needing = [...lock.skills]
    .filter(([other, { requires = [] }]) => requires.includes(name) && !removed.includes(other))
    .map(([other]) => other);
  return needing.length === 0 ? [] : [`${needing.join(", ")} asked for it and may not work without it.`];
}

// What was only brought along stays until somebody says otherwise.
function unneeded(
  { lock }: HubParts,
  { requires = [] }: LockEntry,
  removed: readonly string[],
): readonly string[] {
  const left = [...lock.skills].filter(([name]) => !removed.includes(name));
  const names = requires.filter(
    (name) =>
      left.some(([other, entry]) => other === name && entry.requiredBy !== undefined) &&
      left.every(([, entry]) => entry.requires?.includes(name) !== true),
  );
  if (names.length === 0) return [];
  return [
    `It brought ${names.join(", ")} along, which nothing else needs now: skillet manage remove ${names.join(" ")}`,
  ];
}
