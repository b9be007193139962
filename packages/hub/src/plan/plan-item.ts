import type { Candidate } from "../candidate/candidate.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import { inspectCandidate } from "../inspect/inspect-candidate.ts";
import type { Inspected } from "../inspect/inspected.ts";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { activePartChanges, heldAllowances } from "../update/active-part-changes.ts";
import { type VersionChanges, versionChanges } from "../update/version-changes.ts";
import type { Drift } from "../verify/drift.ts";
import { verifyEntry } from "../verify/verify-entry.ts";
import { createEntry } from "./create-entry.ts";
import type { HubParts } from "./hub-parts.ts";
import { isSameSource, lockResolved } from "./lock-source.ts";
import type { PlanItem, Refusal } from "./plan.ts";

/** What a plan's item is made from, besides the candidate. */
export interface ItemDetails {
  readonly source: string;
  readonly targets: readonly LockedTarget[];
  readonly force: boolean;
  /** The folder itself is used, where it lies. */
  readonly isLinked: boolean;
  readonly declaredName?: string | undefined;
  /** What is done when something of that name is there already; default: it must be from the same source. */
  readonly action?: "update" | "rollback" | "restore";
  /** The skills that bring it along. */
  readonly requiredBy?: readonly string[] | undefined;
}

/** Scans a candidate, decides, and says what the lock would hold; or why it is refused. */
export async function planItem(
  parts: HubParts,
  found: Candidate,
  details: ItemDetails,
): Promise<PlanItem | Refusal> {
  const candidate = { ...found, resolved: lockResolved(found.resolved, parts) };
  const { name } = candidate;
  const before = parts.lock.skills.get(name);
  const conflict = findConflict(parts, candidate, details);
  if (conflict !== undefined) return { name, source: details.source, digest: candidate.digest, ...conflict };
  parts.onStep({ step: "scan", what: name });
  const { scan, trustedSources, signal } = parts;
  const inspected = await inspectCandidate(candidate, {
    scan,
    trustedSources,
    force: details.force,
    ...(signal && { signal }),
  });
  parts.onStep({ step: "decide", what: name });
  if (inspected.decision.outcome === "block")
    return {
      name,
      source: details.source,
      digest: candidate.digest,
      code: "blocked",
      reason: blockedReason(name, inspected),
      inspected,
    };
  const entry = entryOf(inspected, before, details);
  if (before === undefined)
    return {
      ...inspected,
      name,
      action: details.action ?? "install",
      entry,
      questions: questionsOf(inspected),
    };
  const compared = await compareParts(parts, before, { ...inspected, entry });
  const drift = await driftOf(parts, name, before);
  return {
    ...inspected,
    name,
    action: actionOf(before, compared.entry, { action: details.action, drift }),
    entry: compared.entry,
    before,
    changes: compared.changes,
    ...(drift.length > 0 && { drift }),
    questions: questionsOf(inspected, compared.changes),
  };
}

type Conflict = Pick<Refusal, "code" | "reason">;

function findConflict(
  parts: HubParts,
  { name, digest }: Candidate,
  { source, action }: ItemDetails,
): Conflict | undefined {
  const before = parts.lock.skills.get(name);
  const holder = before === undefined ? parts.holderOf(name) : undefined;
  if (holder !== undefined && action === undefined)
    return { code: "name-taken", reason: `${name} is the name of ${holder} already; pass --name OTHER.` };
  if (before === undefined || action !== undefined) return undefined;
  if (!isSameSource(before.source, source, parts))
    return {
      code: "name-taken",
      reason: `${name} is installed from ${before.source}; remove it first, or pass --name OTHER.`,
    };
  if (before.pinned !== undefined && before.digest !== digest)
    return {
      code: "pinned",
      reason: `${name} is pinned: ${before.pinned.reason}. Take the pin away with \`skillet unpin ${name}\`.`,
    };
  return undefined;
}

function entryOf(inspected: Inspected, before: LockEntry | undefined, details: ItemDetails): LockEntry {
  const { isLinked, action, requiredBy, ...rest } = details;
  const requires = inspected.candidate.manifest?.gating.skills ?? [];
  // Whoever asks for it himself wants it for itself from then on.
  const carried = action === undefined ? undefined : before?.requiredBy;
  const entry = createEntry(inspected, { ...rest, before, requires, requiredBy: requiredBy ?? carried });
  return isLinked ? { ...entry, linked: true } : entry;
}

async function compareParts(
  { store }: HubParts,
  before: LockEntry,
  { candidate, entry }: Inspected & { readonly entry: LockEntry },
): Promise<{ readonly entry: LockEntry; readonly changes: VersionChanges }> {
  const changes = versionChanges(before, entry);
  if (candidate.parts === undefined) return { entry, changes };
  const kept = before.kind === "plugin" ? await store.get(before.digest) : undefined;
  const old = kept && readPluginParts(kept, { name: candidate.name }).parts;
  const after = candidate.parts;
  return {
    entry: { ...entry, allowed: heldAllowances(before, entry, { before: old, after }) },
    changes: { ...changes, gained: [...changes.gained, ...activePartChanges(old, after)] },
  };
}

function driftOf(
  { root, outside, store, signal }: HubParts,
  name: string,
  before: LockEntry,
): Promise<readonly Drift[]> {
  return verifyEntry(root, name, before, { outside, store, ...(signal && { signal }) });
}

function actionOf(
  before: LockEntry,
  entry: LockEntry,
  { action, drift }: { readonly action: ItemDetails["action"]; readonly drift: readonly Drift[] },
): PlanItem["action"] {
  if (action === "restore") return drift.length === 0 ? "unchanged" : "restore";
  const isSame =
    before.digest === entry.digest &&
    before.linked === entry.linked &&
    before.targets.map(keyOf).join("\n") === entry.targets.map(keyOf).join("\n");
  if (!isSame || action === "rollback") return action ?? "update";
  // What is gone is put back; what somebody edited is his, and only named.
  return drift.length > 0 && drift.every(({ kind, file }) => kind === "missing" && file === "")
    ? "restore"
    : "unchanged";
}

function keyOf({ path, how, agent }: LockedTarget): string {
  return JSON.stringify([path, how, agent]);
}

function questionsOf({ decision }: Inspected, changes?: VersionChanges): readonly string[] {
  const gained = changes?.gained.map(({ text }) => text) ?? [];
  return [
    ...(decision.outcome === "ask" ? [decision.reason] : []),
    ...(gained.length > 0 ? [`the new version ${gained.join("; ")}`] : []),
  ];
}

function blockedReason(name: string, { report, decision }: Inspected): string {
  const worst = report.findings[0];
  const why = worst === undefined ? "" : ` ${worst.rule} in ${worst.file}:${worst.line}: ${worst.message}`;
  const help = decision.forceable
    ? " Look at it with `skillet scan`, then pass --force if you want it all the same."
    : " Nothing overrides this.";
  return `${name} is not installed: ${decision.reason}.${why}${help}`;
}
