import { nameSkeleton } from "@skillet/scan";
import type { Candidate } from "../candidate/candidate.ts";
import { findNamingProblem } from "../candidate/find-naming-problem.ts";
import { inspectCandidate } from "../inspect/inspect-candidate.ts";
import type { Inspected } from "../inspect/inspected.ts";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { askAboutGains } from "../update/ask-about-gains.ts";
import { gainedPowers } from "../update/gained-powers.ts";
import { heldAllowances } from "../update/held-allowances.ts";
import { type VersionChanges, versionChanges } from "../update/version-changes.ts";
import type { Drift } from "../verify/drift.ts";
import { verifyEntry } from "../verify/verify-entry.ts";
import { createEntry } from "./create-entry.ts";
import { findDowngrade } from "./find-downgrade.ts";
import { findLookAlike, lookAlikeReason } from "./find-look-alike.ts";
import { findMove } from "./find-move.ts";
import type { HubParts } from "./hub-parts.ts";
import { isSameSource, lockResolved } from "./lock-source.ts";
import type { PlanItem, Refusal } from "./plan.ts";
import { readPlaced } from "./read-placed.ts";
import { refuseReading } from "./refuse-reading.ts";
import { scopedCommand } from "./scoped-command.ts";

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
  // Whatever is placed comes by here: news, what was kept, and what was renamed.
  const problem = findNamingProblem(candidate);
  if (problem !== undefined) return unfit(candidate, details, problem);
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
  const entry = lockAllowed(parts, entryOf(inspected, before, details));
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
  // Whoever goes back or insists has said so already.
  const isMeant = details.force || details.action === "rollback";
  const downgrade = isMeant ? undefined : await findDowngrade(parts, before, candidate);
  const isNews = !isMeant && details.action !== "restore";
  const move = isNews ? findMove(before.resolved, candidate.resolved) : undefined;
  return {
    ...inspected,
    name,
    action: actionOf(before, compared.entry, { action: details.action, drift }),
    entry: lockAllowed(parts, compared.entry),
    before,
    changes: compared.changes,
    ...(drift.length > 0 && { drift }),
    ...(downgrade !== undefined && { downgrade }),
    ...(move !== undefined && { move }),
    questions: [
      ...questionsOf(inspected, compared.changes),
      ...[downgrade, move].filter((question) => question !== undefined),
    ],
  };
}

/** The entry as a lock may keep it: what a project's plugins may run is kept in Skillet's own folder. */
export function lockAllowed({ scope }: Pick<HubParts, "scope">, entry: LockEntry): LockEntry {
  if (scope.kind === "user" || entry.allowed === undefined) return entry;
  return { ...entry, allowed: { hooks: false, mcpServers: false } };
}

function unfit({ name, digest }: Candidate, { source, action }: ItemDetails, problem: string): Refusal {
  const verb = action === "update" ? "updated" : "installed";
  return { ...refuseReading({ name, problem, diagnostics: [] }, { source, verb }), digest };
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
  if (action !== undefined) return undefined;
  if (before === undefined) return lookAlikeConflict(parts, name);
  if (!isSameSource(before.source, source, parts))
    return {
      code: "name-taken",
      reason: `${name} is installed from ${before.source}; remove it first, or pass --name OTHER.`,
    };
  if (before.pinned !== undefined && before.digest !== digest)
    return {
      code: "pinned",
      reason: `${name} is pinned: ${before.pinned.reason}. Take the pin away with \`${scopedCommand(parts, `unpin ${name}`)}\`.`,
    };
  return undefined;
}

function lookAlikeConflict({ lock, holderOf }: HubParts, name: string): Conflict | undefined {
  const plain = nameSkeleton(name);
  const twin = findLookAlike(name, lock.skills.keys());
  const holder = twin === undefined && plain !== name ? holderOf(plain) : undefined;
  if (twin === undefined && holder === undefined) return undefined;
  return { code: "name-taken", reason: lookAlikeReason(name, twin ?? plain, holder) };
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
  parts: HubParts,
  before: LockEntry,
  { candidate, entry }: Inspected & { readonly entry: LockEntry },
): Promise<{ readonly entry: LockEntry; readonly changes: VersionChanges }> {
  const changes = versionChanges(before, entry);
  const compared =
    candidate.parts === undefined ? entry : { ...entry, allowed: heldAllowances(before, entry) };
  if (before.digest === candidate.digest) return { entry: compared, changes };
  const kept = (await parts.store.get(before.digest)) ?? (await readPlaced(parts, before));
  const gained = gainedPowers(kept && { kind: before.kind, files: kept }, candidate);
  return { entry: compared, changes: { ...changes, gained: [...changes.gained, ...gained] } };
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
  const gains = askAboutGains(changes?.gained ?? []);
  return [...(decision.outcome === "ask" ? [decision.reason] : []), ...(gains === undefined ? [] : [gains])];
}

function blockedReason(name: string, { report, decision }: Inspected): string {
  const worst = report.findings[0];
  const why =
    worst === undefined
      ? ""
      : ` ${worst.rule} in ${worst.file}:${worst.line}: ${worst.message.replace(/[.]$/, "")}.`;
  const help = decision.forceable
    ? " Look at it with `skillet scan`, then pass --force if you want it all the same."
    : " Nothing overrides this.";
  return `${name} is not installed: ${decision.reason}.${why}${help}`;
}
