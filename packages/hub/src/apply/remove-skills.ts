import type { AuditEntry } from "@skillet/core";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Change } from "../place/change.ts";
import { commitChanges } from "../place/commit-changes.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { chosenEntries } from "../plan/plan-update.ts";
import { scopedCommand } from "../plan/scoped-command.ts";
import { endAllowances } from "./end-allowances.ts";
import type { HubResult } from "./hub-result.ts";
import { withdrawForced } from "./withdraw-forced.ts";

/** Takes skills away, all of them or none; their files stay in the store, so that they can come back. */
export async function removeSkills(
  parts: HubParts,
  request: { readonly names: readonly string[]; readonly discardEdits: boolean; readonly dryRun: boolean },
): Promise<readonly HubResult[]> {
  const { names, discardEdits, dryRun } = request;
  const chosen = names.length === 0 ? [] : chosenEntries(parts, [...new Set(names)]);
  if (!dryRun && chosen.length > 0) {
    const changes = chosen.map(([name, before]): Change => {
      const record = recordOf(parts, name, before);
      return { kind: "remove", name, before, discardEdits, record };
    });
    await endAllowances(parts, changes);
    await commitChanges({
      lockFile: parts.lockFile,
      root: parts.root,
      store: parts.store,
      outside: parts.outside,
      changes,
      audit: parts.audit,
      onStage: (stage) => parts.onStep({ step: "place", what: stage }),
      ...(parts.signal && { signal: parts.signal }),
    });
  }
  const withdrawn = dryRun ? new Set<string>() : await withdrawForced(parts, chosen);
  return chosen.map(([name, entry]) => {
    const result = resultOf(parts, name, entry, names);
    return withdrawn.has(name) ? withReason(result, WITHDRAWN) : result;
  });
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

const WITHDRAWN = "What let it in by --force was taken back: the same files are decided about anew.";

function withReason(result: HubResult, reason: string): HubResult {
  return { ...result, reason: result.reason === undefined ? reason : `${result.reason} ${reason}` };
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
  parts: HubParts,
  { requires = [] }: LockEntry,
  removed: readonly string[],
): readonly string[] {
  const left = [...parts.lock.skills].filter(([name]) => !removed.includes(name));
  const names = requires.filter(
    (name) =>
      left.some(([other, entry]) => other === name && entry.requiredBy !== undefined) &&
      left.every(([, entry]) => entry.requires?.includes(name) !== true),
  );
  if (names.length === 0) return [];
  const command = scopedCommand(parts, `remove ${names.join(" ")}`);
  return [`It brought ${names.join(", ")} along, which nothing else needs now: ${command}`];
}
