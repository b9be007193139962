import { nameSkeleton } from "@skillet/scan";
import type { Candidate } from "../candidate/candidate.ts";
import { findNamingProblem } from "../candidate/rename-candidate.ts";
import { type Inspected, inspectCandidate } from "../inspect/inspect-candidate.ts";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import type { Drift } from "../place/find-drift.ts";
import { verifyEntry } from "../place/verify-entry.ts";
import { askAboutGains, compareWithInstalled, takenFrom } from "./compare-with-installed.ts";
import { createEntry, isSameSource, lockResolved } from "./create-entry.ts";
import { findDoubts } from "./find-doubts.ts";
import { type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";
import type { PlanItem, Refusal } from "./plan.ts";
import { refuseReading } from "./read-offer.ts";
import type { VersionChanges } from "./version-changes.ts";

interface ItemDetails {
  readonly source: string;
  readonly targets: readonly LockedTarget[];
  readonly force: boolean;
  readonly isLinked: boolean;
  readonly declaredName?: string | undefined;
  /** What is done when something of that name is there already; default: it must be from the same source. */
  readonly action?: "update" | "rollback" | "restore";
  readonly requiredBy?: readonly string[] | undefined;
  /** Who named the source now; absent where nobody did, and what the lock says stays. */
  readonly askedBy?: "person" | "content";
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
      reason: blockedReason(inspected, { parts, details }),
      inspected,
    };
  const entry = lockAllowed(parts, entryOf(inspected, before, details));
  const elsewhere = takenFrom({ source: details.source, resolved: candidate.resolved }, parts);
  const told = {
    ...(details.askedBy === "person" && ({ askedBy: "person" } as const)),
    ...(elsewhere !== undefined && { takenFrom: elsewhere }),
  };
  if (before === undefined)
    return {
      ...inspected,
      name,
      action: details.action ?? "install",
      entry,
      ...told,
      questions: questionsOf(inspected),
    };
  return { ...(await planNext(parts, { ...inspected, entry }, { before, details })), ...told };
}

/** The entry as a lock may keep it: what a project's plugins may run is kept in Skillet's own folder. */
export function lockAllowed({ scope }: Pick<HubParts, "scope">, entry: LockEntry): LockEntry {
  if (scope.kind === "user" || entry.allowed === undefined) return entry;
  return { ...entry, allowed: { hooks: false, mcpServers: false } };
}

async function planNext(
  parts: HubParts,
  { entry, ...inspected }: Inspected & Pick<PlanItem, "entry">,
  { before, details }: { readonly before: LockEntry; readonly details: ItemDetails },
): Promise<PlanItem> {
  const { candidate } = inspected;
  const { action, force } = details;
  const compared = await compareWithInstalled(parts, before, { candidate, entry });
  const drift = await driftOf(parts, candidate.name, before);
  const doubts = await findDoubts(parts, { before, candidate, action });
  // Where the same bytes come from somebody else, nothing is new to ask about; but without a yes the lock does not follow,
  // or other bytes could come from there the next time, and nobody would notice.
  const isStill = before.digest === candidate.digest && !force;
  const { resolved, folder } = isStill && doubts.move !== undefined ? before : compared.entry;
  const next = { ...compared.entry, resolved, folder };
  const open = isStill ? [] : [doubts.downgrade, doubts.move].filter((doubt) => doubt !== undefined);
  return {
    ...inspected,
    name: candidate.name,
    action: actionOf(before, next, { action, drift }),
    entry: lockAllowed(parts, next),
    before,
    changes: compared.changes,
    ...(drift.length > 0 && { drift }),
    ...(!isStill && doubts),
    ...(force && open.length > 0 && { overridden: open }),
    questions: [...questionsOf(inspected, compared.changes), ...(force ? [] : open)],
  };
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
  const holder = before === undefined ? parts.held.holderOf(name) : undefined;
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

function lookAlikeConflict({ lock, held }: HubParts, name: string): Conflict | undefined {
  const twin = findLookAlike(name, lock.skills.keys());
  const holder = twin === undefined ? held.holderOfLookAlike(name) : `${twin}, which is installed`;
  return holder === undefined ? undefined : { code: "name-taken", reason: lookAlikeReason(name, holder) };
}

function entryOf(inspected: Inspected, before: LockEntry | undefined, details: ItemDetails): LockEntry {
  const { isLinked, action, requiredBy, askedBy, ...rest } = details;
  const requires = inspected.candidate.manifest?.gating.skills ?? [];
  // Whoever asks for it himself wants it for itself from then on.
  const carried = action === undefined ? undefined : before?.requiredBy;
  const entry = createEntry(inspected, {
    ...rest,
    before,
    requires,
    requiredBy: requiredBy ?? carried,
    askedBy: namedBy(askedBy, before),
  });
  return isLinked ? { ...entry, linked: true } : entry;
}

// What somebody asked for once stays theirs, though a file names it too.
function namedBy(askedBy: ItemDetails["askedBy"], before: LockEntry | undefined): LockEntry["askedBy"] {
  if (askedBy === "person") return undefined;
  return before === undefined ? askedBy : before.askedBy;
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

function blockedReason(
  { candidate, report, decision }: Inspected,
  { parts, details }: { readonly parts: HubParts; readonly details: ItemDetails },
): string {
  const { name, untrusted } = candidate;
  const worst = report.findings[0];
  const why =
    worst === undefined
      ? ""
      : ` ${worst.rule} in ${worst.file}:${worst.line}: ${worst.message.replace(/[.]$/, "")}.`;
  const help = decision.forceable
    ? ` Look at it with \`${lookCommand(parts, name, details)}\`, then pass --force if you want it all the same.`
    : ` Nothing overrides this. To look at it: \`${lookCommand(parts, name, details)}\`.`;
  const whose =
    untrusted === undefined
      ? ""
      : ` It lies in ${untrusted}, which nobody trusts yet, so it counts as the community's; if that is yours, run \`skillet trust ${shellWord(untrusted)}\` first.`;
  return `${name} is not installed: ${decision.reason}.${why}${whose}${help}`;
}

// A remote source cannot be given to the scan, and a dry run shows all that was found.
function lookCommand(parts: HubParts, name: string, { action, source }: ItemDetails): string {
  const words = {
    update: `update ${name}`,
    rollback: `rollback ${name}`,
    restore: "install",
    install: `install ${shellWord(source)}`,
  }[action ?? "install"];
  return scopedCommand(parts, `${words} --dry-run`);
}

export function findLookAlike(name: string, others: Iterable<string>): string | undefined {
  const skeleton = nameSkeleton(name);
  return [...others].find((other) => other !== name && nameSkeleton(other) === skeleton);
}

export function lookAlikeReason(name: string, holder: string): string {
  return `${name} is easily taken for ${holder}; pass --name OTHER.`;
}
