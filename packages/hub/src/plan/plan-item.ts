import { nameSkeleton } from "@skillet/scan";
import {
  type Candidate,
  type CandidateReading,
  type Inspected,
  inspectCandidate,
} from "../candidate/candidate.ts";
import { findNamingProblem, renameCandidate } from "../candidate/rename-candidate.ts";
import { type LockEntry, type LockedTarget, lockedFiles } from "../lock/lock-entry.ts";
import type { Drift } from "../place/find-drift.ts";
import { verifyEntry } from "../place/verify-entry.ts";
import { targetsFor } from "../target/targets.ts";
import { askAboutGains, compareWithInstalled } from "./compare-with-installed.ts";
import { findDoubts } from "./find-doubts.ts";
import { type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";
import { isSameSource, lockResolved, takenFrom } from "./lock-source.ts";
import type { PlanItem, Refusal } from "./plan.ts";
import { refuseReading } from "./read-offer.ts";

export interface PlacingRequest {
  readonly as?: string;
  readonly agents: readonly string[];
  readonly agentTargets: "link" | "copy";
  readonly link: boolean;
  readonly force: boolean;
}

interface ItemDetails {
  readonly source: string;
  readonly targets: readonly LockedTarget[];
  readonly force: boolean;
  readonly isLinked?: boolean;
  readonly declaredName?: string | undefined;
  /** What is done when something of that name is there already; default: it must be from the same source. */
  readonly action?: "update" | "rollback" | "restore";
  readonly requiredBy?: readonly string[] | undefined;
  /** Who named the source now; absent where no one did, and what the lock says stays. */
  readonly askedBy?: "person" | "content";
}

/** Plans one reading: under the name, for the agents and in the way that was asked for. */
export async function planReading(
  parts: HubParts,
  request: PlacingRequest,
  reading: CandidateReading,
  details: Required<Pick<ItemDetails, "source" | "requiredBy" | "askedBy">>,
): Promise<PlanItem | Refusal> {
  if ("problem" in reading) return refuseReading(reading, details.source);
  const candidate = request.as === undefined ? reading : renameCandidate(reading, request.as);
  const { name } = candidate;
  const { agents, agentTargets: how, link, force } = request;
  const targets = targetsFor({ ...parts, name, agents, how }).map(
    (target): LockedTarget => (link ? { ...target, how: "link" } : target),
  );
  return planItem(parts, candidate, {
    ...details,
    targets: withEarlier(parts, name, targets),
    force,
    isLinked: link,
    ...(name !== reading.name && { declaredName: reading.name }),
  });
}

// Another agent gets it besides those that have it; no one loses it by that.
function withEarlier(
  { lock }: HubParts,
  name: string,
  targets: readonly LockedTarget[],
): readonly LockedTarget[] {
  const entry = lock.skills.get(name);
  const isLinked = targets.every(({ how }) => how === "link");
  if (entry === undefined || (entry.linked === true) !== isLinked) return targets;
  const earlier = entry.targets.filter(({ path }) => targets.every((target) => target.path !== path));
  return [...targets, ...earlier];
}

/** Scans a candidate, decides, and says what the lock would hold; or why it is refused. */
export async function planItem(
  parts: HubParts,
  found: Candidate,
  details: ItemDetails,
): Promise<PlanItem | Refusal> {
  const candidate = { ...found, resolved: lockResolved(found.resolved, parts) };
  const { name, digest } = candidate;
  const { source, action, force } = details;
  const before = parts.lock.skills.get(name);
  // Everything that is placed passes here: new versions, kept ones and renamed ones.
  const problem = findNamingProblem(candidate);
  if (problem !== undefined) {
    const verb = action === "update" ? "updated" : "installed";
    return { ...refuseReading({ name, problem, diagnostics: [] }, source, verb), digest };
  }
  const conflict = findConflict(parts, candidate, details);
  if (conflict !== undefined) return { name, source, digest, ...conflict };
  parts.onStep({ step: "scan", what: name });
  const inspected = await inspectCandidate(candidate, { ...parts, force });
  parts.onStep({ step: "decide", what: name });
  if (inspected.decision.outcome === "block") {
    const reason = blockedReason(parts, inspected, details);
    return { name, source, digest, code: "blocked", reason, inspected };
  }
  const entry = lockAllowed(parts, entryOf(inspected, before, details));
  const elsewhere = takenFrom({ source, resolved: candidate.resolved }, parts);
  const told = {
    ...(details.askedBy === "person" && ({ askedBy: "person" } as const)),
    ...(elsewhere !== undefined && { takenFrom: elsewhere }),
  };
  if (before !== undefined)
    return { ...(await planNext(parts, { ...inspected, entry }, before, details)), ...told };
  const questions = questionsOf(inspected);
  return { ...inspected, name, action: action ?? "install", entry, ...told, questions };
}

/** The entry as a lock may keep it: what a project's plugins may run is kept in Skillet's own folder. */
export function lockAllowed({ scope }: Pick<HubParts, "scope">, entry: LockEntry): LockEntry {
  if (scope.kind === "user" || entry.allowed === undefined) return entry;
  return { ...entry, allowed: { hooks: false, mcpServers: false } };
}

async function planNext(
  parts: HubParts,
  { entry, ...inspected }: Inspected & Pick<PlanItem, "entry">,
  before: LockEntry,
  { action, force }: ItemDetails,
): Promise<PlanItem> {
  const { candidate } = inspected;
  const { name } = candidate;
  const compared = await compareWithInstalled(parts, before, candidate, entry);
  const drift = await verifyEntry(parts.root, name, before, parts);
  const doubts = await findDoubts(parts, before, candidate, action);
  // The same bytes from someone else raise no question; but without a yes the lock does not follow, or other bytes
  // could come from there the next time unnoticed.
  const isStill = before.digest === candidate.digest && !force;
  const { resolved, folder } = isStill && doubts.move !== undefined ? before : compared.entry;
  const next = { ...compared.entry, resolved, folder };
  const open = isStill ? [] : [doubts.downgrade, doubts.move].filter((doubt) => doubt !== undefined);
  return {
    ...inspected,
    name,
    action: actionOf(before, next, action, drift),
    entry: lockAllowed(parts, next),
    before,
    changes: compared.changes,
    ...(drift.length > 0 && { drift }),
    ...(!isStill && doubts),
    ...(force && open.length > 0 && { overridden: open }),
    questions: [...questionsOf(inspected, compared.changes), ...(force ? [] : open)],
  };
}

type Conflict = Pick<Refusal, "code" | "reason">;

function findConflict(
  parts: HubParts,
  { name, digest }: Candidate,
  { source, action }: ItemDetails,
): Conflict | undefined {
  if (action !== undefined) return undefined;
  const before = parts.lock.skills.get(name);
  if (before === undefined) return findHolder(parts, name);
  if (!isSameSource(before.source, source, parts)) {
    const reason = `${name} is installed from ${before.source}; remove it first, or pass --name OTHER.`;
    return { code: "name-taken", reason };
  }
  return before.pinned === undefined || before.digest === digest
    ? undefined
    : pinnedConflict(parts, name, before);
}

function findHolder({ lock, held }: HubParts, name: string): Conflict | undefined {
  const holder = held.holderOf(name);
  if (holder !== undefined)
    return { code: "name-taken", reason: `${name} is the name of ${holder} already; pass --name OTHER.` };
  const twin = findLookAlike(name, lock.skills.keys());
  const alike = twin === undefined ? held.holderOfLookAlike(name) : `${twin}, which is installed`;
  return alike === undefined ? undefined : { code: "name-taken", reason: lookAlikeReason(name, alike) };
}

export function pinnedConflict(parts: HubParts, name: string, { pinned }: LockEntry): Conflict {
  const unpin = scopedCommand(parts, `unpin ${name}`);
  return {
    code: "pinned",
    reason: `${name} is pinned: ${pinned?.reason ?? ""}. Take the pin away with \`${unpin}\`.`,
  };
}

function entryOf(
  { candidate, report, origin }: Inspected,
  before: LockEntry | undefined,
  details: ItemDetails,
): LockEntry {
  const { kind, resolved, folder, digest, files, parts, manifest } = candidate;
  const { source, targets, declaredName, action } = details;
  const requires = manifest?.gating.skills ?? [];
  // Whoever asks for it directly wants it for itself from then on.
  const requiredBy = details.requiredBy ?? (action === undefined ? undefined : before?.requiredBy) ?? [];
  const askedBy = namedBy(details.askedBy, before);
  return {
    ...(before?.pinned !== undefined && { pinned: before.pinned }),
    kind,
    source,
    resolved,
    folder,
    digest,
    files: lockedFiles(files),
    capabilities: { ...report.capabilities },
    report: { origin, verdict: report.verdict, scanner: report.ruleSet },
    targets,
    ...(declaredName !== undefined && { declaredName }),
    ...(requires.length > 0 && { requires }),
    ...(requiredBy.length > 0 && { requiredBy }),
    ...(askedBy !== undefined && { askedBy }),
    ...(parts !== undefined && { allowed: before?.allowed ?? { hooks: false, mcpServers: false } }),
    ...(details.isLinked === true && { linked: true }),
  };
}

// What someone asked for once stays theirs, though a file names it too.
function namedBy(askedBy: ItemDetails["askedBy"], before: LockEntry | undefined): LockEntry["askedBy"] {
  if (askedBy === "person") return undefined;
  return before === undefined ? askedBy : before.askedBy;
}

function actionOf(
  before: LockEntry,
  entry: LockEntry,
  action: ItemDetails["action"],
  drift: readonly Drift[],
): PlanItem["action"] {
  if (action === "restore") return drift.length === 0 ? "unchanged" : "restore";
  const isSame =
    before.digest === entry.digest &&
    before.linked === entry.linked &&
    before.targets.map(keyOf).join("\n") === entry.targets.map(keyOf).join("\n");
  if (!isSame || action === "rollback") return action ?? "update";
  // What is gone is put back; edits are only named.
  const isGone = drift.length > 0 && drift.every(({ kind, file }) => kind === "missing" && file === "");
  return isGone ? "restore" : "unchanged";
}

function keyOf({ path, how, agent }: LockedTarget): string {
  return JSON.stringify([path, how, agent]);
}

function questionsOf({ decision }: Inspected, changes?: PlanItem["changes"]): readonly string[] {
  const gains = askAboutGains(changes?.gained ?? []);
  return [...(decision.outcome === "ask" ? [decision.reason] : []), ...(gains === undefined ? [] : [gains])];
}

function blockedReason(
  parts: HubParts,
  { candidate, report, decision }: Inspected,
  { action, source }: ItemDetails,
): string {
  const { name, untrusted } = candidate;
  const [worst] = report.findings;
  const why =
    worst === undefined
      ? ""
      : ` ${worst.rule} in ${worst.file}:${worst.line}: ${worst.message.replace(/[.]$/, "")}.`;
  const words = {
    update: `update ${name}`,
    rollback: `rollback ${name}`,
    restore: "install",
    install: `install ${shellWord(source)}`,
  }[action ?? "install"];
  // A remote source cannot be given to the scan, and a dry run shows all that was found.
  const look = scopedCommand(parts, `${words} --dry-run`);
  const help = decision.forceable
    ? ` Look at it with \`${look}\`, then pass --force if you want it all the same.`
    : ` Nothing overrides this. To look at it: \`${look}\`.`;
  const whose =
    untrusted === undefined
      ? ""
      : ` It lies in ${untrusted}, which nobody trusts yet, so it counts as the community's; if that is yours, run \`skillet trust ${shellWord(untrusted)}\` first.`;
  return `${name} is not installed: ${decision.reason}.${why}${whose}${help}`;
}

/** The name among others that a name is easily taken for. */
export function findLookAlike(name: string, others: Iterable<string>): string | undefined {
  const skeleton = nameSkeleton(name);
  return [...others].find((other) => other !== name && nameSkeleton(other) === skeleton);
}

export function lookAlikeReason(name: string, holder: string): string {
  return `${name} is easily taken for ${holder}; pass --name OTHER.`;
}
