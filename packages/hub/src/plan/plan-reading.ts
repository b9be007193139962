import { dirname, join, resolve } from "node:path";
import { type Agent, loaderRefusal } from "@skillet/core/internal";
import { oncePer } from "@skillet/kit/async";
import { nameSkeleton } from "@skillet/scan";
import { inspectItem } from "../inspect/inspect-item.ts";
import { unfit } from "../inspect/read-item.ts";
import { findNamingProblem, renameItem } from "../inspect/rename-item.ts";
import { type Drift, type LockEntry, type LockedTarget, lockedFiles } from "../lock/lock-entry.ts";
import { nameFiles } from "../place/find-drift.ts";
import { verifyEntry, verifyTarget } from "../place/verify-entry.ts";
import type {
  JudgedItem,
  PlannedItem,
  ReadItem,
  RefusedItem,
  UnfitItem,
  VersionChanges,
} from "../plan-item.ts";
import { agentOf, readsOf, targetsFor } from "../target/targets.ts";
import { askAboutGains, compareWithInstalled, heldAllowances } from "./compare-with-installed.ts";
import { findDoubts } from "./find-doubts.ts";
import { showVersion } from "./history.ts";
import { adoptHint, type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";
import { isSameSource, lockResolved, takenFrom } from "./lock-source.ts";
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
  /** Set if the same bytes hold the name: whether all requested agents read them there. */
  readonly isHeld?: boolean;
  readonly unlinked?: PlannedItem["unlinked"];
  readonly declaredName?: string | undefined;
  /** Default: an install, for which the name must be free or from the same source. */
  readonly action?: "update" | "rollback" | "restore";
  readonly requiredBy?: readonly string[] | undefined;
  /** Who named the source now; absent if nobody did, and the lock's value stays. */
  readonly askedBy?: "person" | "content";
}

export async function planReading(
  parts: HubParts,
  request: PlacingRequest,
  reading: ReadItem | UnfitItem,
  details: Required<Pick<ItemDetails, "source" | "requiredBy" | "askedBy">>,
): Promise<PlannedItem | RefusedItem> {
  if (reading.state === "unfit") return refuseReading(reading, details.source);
  const item = request.as === undefined ? reading : renameItem(reading, request.as);
  const { name } = item;
  const { agentTargets: how, link, force } = request;
  const before = parts.lock.skills.get(name);
  const heldFor = await parts.heldFor(name, item.digest);
  // An agent that reads these bytes already would get the skill twice, or its own copy in the way.
  const isServed = (id: string): boolean =>
    heldFor?.includes(id) === true && before?.targets.some(({ agent }) => agent === id) !== true;
  const wanted = [...new Set(request.agents.map(agentOf))].map((agent) => {
    const why = isServed(agent.id) ? "it is there already" : whyUnread(agent, item);
    const reads = readsOf(agent, parts);
    // An agent that has it through this very install needs no message.
    const isOwn = before?.targets.some(({ path }) => reads.includes(dirname(resolve(parts.root, path))));
    return { agent: agent.id, why, isTold: why !== undefined && !(isOwn && isServed(agent.id)) };
  });
  const agents = wanted.flatMap(({ agent, why }) => (why === undefined ? [agent] : []));
  const targets = targetsFor({ ...parts, name, agents, how }).map(
    (target): LockedTarget => (link ? { ...target, how: "link" } : target),
  );
  const isLinked = targets.every((target) => target.how === "link");
  // Agents that have it already keep it when another one is added.
  const earlier = before !== undefined && (before.linked === true) === isLinked ? before.targets : [];
  const kept = earlier.filter(({ path }) => targets.every((target) => target.path !== path));
  return planItem(parts, item, {
    ...details,
    targets: [...targets, ...kept],
    force,
    isLinked: link,
    unlinked: wanted.flatMap(({ agent, why, isTold }) => (why && isTold ? [{ agent, why }] : [])),
    ...(heldFor && { isHeld: agents.length === 0 }),
    ...(name !== reading.name && { declaredName: reading.name }),
  });
}

/** A link would be dead for an agent whose loader skips the skill, or all skills of the plugin. */
function whyUnread(agent: Agent, { parts, diagnostics }: ReadItem): string | undefined {
  if (parts === undefined) return loaderRefusal(agent, 1, diagnostics);
  const isRead = ({ folder }: { readonly folder: string }): boolean =>
    loaderRefusal(agent, join(parts.name, folder).split("/").length) === undefined;
  if (agent.loader?.depth === undefined || parts.skills.some(isRead)) return undefined;
  return "the skills of a plugin lie too deep there. To link one of its skills, install it by name: --skill NAME";
}

/** Scans an item, decides, and returns its future lock entry or the reason for the refusal. */
export async function planItem(
  parts: HubParts,
  found: ReadItem,
  details: ItemDetails,
): Promise<PlannedItem | RefusedItem> {
  const item = { ...found, resolved: lockResolved(found.resolved, parts) };
  const { name, digest, resolved } = item;
  const { source, action, force, askedBy, unlinked } = details;
  const before = parts.lock.skills.get(name);
  // Everything that is placed passes through here: new, kept and renamed versions.
  const problem = findNamingProblem(item);
  if (problem !== undefined) {
    const verb = action === "update" ? "updated" : "installed";
    return { ...refuseReading(unfit(name, problem), source, verb), digest };
  }
  const conflict = action === undefined ? await findConflict(parts, item, details) : undefined;
  if (conflict !== undefined) return { state: "refused", name, source, digest, ...conflict };
  parts.onStep({ step: "scan", what: name });
  const judged = await inspectItem(item, { ...parts, force, isInstalled: before?.digest === digest });
  parts.onStep({ step: "decide", what: name });
  if (judged.decision.outcome === "block") {
    const reason = blockedReason(parts, judged, details);
    return { state: "refused", name, source, digest, code: "blocked", reason, judged };
  }
  const entry = entryOf(parts, judged, before, details);
  const planned: Awaited<ReturnType<typeof planNext>> =
    before === undefined
      ? { action: action ?? "install", entry, questions: questionsOf(judged) }
      : await planNext(parts, judged, entry, before, details);
  const elsewhere = takenFrom({ source, resolved }, parts);
  return {
    ...judged,
    state: "planned",
    ...planned,
    entry: lockAllowed(parts, planned.entry),
    ...(unlinked && { unlinked }),
    ...(askedBy === "person" && { askedBy }),
    ...(elsewhere !== undefined && { takenFrom: elsewhere }),
  };
}

/** The entry as a lock may contain it: allowances for a project's plugins are stored in Skillet's own folder. */
export function lockAllowed({ scope }: Pick<HubParts, "scope">, entry: LockEntry): LockEntry {
  if (scope.kind === "user" || entry.allowed === undefined) return entry;
  return { ...entry, allowed: { hooks: false, mcpServers: false } };
}

async function planNext(
  parts: HubParts,
  judged: JudgedItem,
  entry: LockEntry,
  before: LockEntry,
  { action, force }: ItemDetails,
): Promise<Pick<PlannedItem, "action" | "entry" | "installed" | "questions">> {
  const changes = await compareWithInstalled(parts, before, judged, entry);
  const drifted = await verifyEntry(parts.root, judged.name, before, parts);
  const { downgrade, move } = await findDoubts(parts, before, judged, action);
  // The same bytes from another publisher raise no question, but without an answer the lock must not follow:
  // other bytes could come from there next time, unnoticed.
  const isStill = before.digest === judged.digest && !force;
  const { resolved, folder } = isStill && move !== undefined ? before : entry;
  const next = { ...entry, resolved, folder };
  const found = isStill ? [] : [downgrade, move].filter((doubt) => doubt !== undefined);
  const [doubts, overridden] = force ? [[], found] : [found, []];
  // A skill edited at its source already contains the new version, so nothing is lost.
  const current = new Set<string>();
  for (const target of drifted.length === 0 || isStill ? [] : next.targets)
    if ((await verifyTarget(target, next, parts)).length === 0) current.add(target.path);
  const drift = drifted.filter(({ target }) => !current.has(target));
  return {
    action: actionOf(before, next, action, drift),
    entry: next,
    installed: { entry: before, changes, drift, doubts, overridden },
    questions: [...questionsOf(judged, changes), ...doubts],
  };
}

type Conflict = Pick<RefusedItem, "code" | "reason">;

async function findConflict(
  parts: HubParts,
  { name, digest }: ReadItem,
  { source, isHeld: isPresent }: ItemDetails,
): Promise<Conflict | undefined> {
  const before = parts.lock.skills.get(name);
  const present = (holder: string, hint = ""): Conflict => ({
    code: "present",
    reason: `It is there already, byte for byte: ${holder}.${hint}`,
  });
  if (before === undefined) {
    if (isPresent === undefined) return findHolder(parts, name);
    const holder = parts.held.get(name);
    return isPresent ? present(holder ?? name, adoptHint(name, holder)) : undefined;
  }
  if (!isSameSource(before.source, source, parts)) {
    const isSame = before.digest === digest;
    const drift = isSame ? await verifyEntry(parts.root, name, before, parts) : [];
    if (isSame && drift.length === 0) return present(`installed from ${before.source}`);
    const edited = isSame ? `, and was changed since: ${nameFiles(drift)}` : "";
    const reason = `${name} is installed from ${before.source}${edited}; remove it first, or pass --name OTHER.`;
    return { code: "name-taken", reason };
  }
  const isHeld = before.pinned !== undefined && before.digest !== digest;
  return isHeld ? pinnedConflict(parts, name, before) : undefined;
}

function findHolder({ lock, held }: HubParts, name: string): Conflict | undefined {
  const holder = held.get(name);
  if (holder !== undefined)
    return {
      code: "name-taken",
      reason: `${name} is the name of ${holder} already; pass --skip-existing to keep that one, or --name OTHER.`,
    };
  const twin = findLookAlike(name, lock.skills.keys());
  const alike = twin === undefined ? twinsOf(held).get(nameSkeleton(name)) : `${twin}, which is installed`;
  return alike === undefined ? undefined : { code: "name-taken", reason: lookAlikeReason(name, alike) };
}

// Memoised: a source may offer thousands of names, and thousands may be held.
const twinsOf = oncePer(
  (held: HubParts["held"]): ReadonlyMap<string, string> =>
    new Map([...held].map(([name, holder]) => [nameSkeleton(name), holder])),
);

export function pinnedConflict(parts: HubParts, name: string, { pinned }: LockEntry): Conflict {
  const unpin = scopedCommand(parts, `unpin ${name}`);
  const why = pinned?.reason ? `: ${pinned.reason}` : "";
  const reason = `${name} is pinned${why}. Unpin it with \`${unpin}\`.`;
  return { code: "pinned", reason };
}

function entryOf(
  { scope, clock }: Pick<HubParts, "scope" | "clock">,
  { kind, resolved, folder, digest, files, parts, manifest, report, origin }: JudgedItem,
  before: LockEntry | undefined,
  details: ItemDetails,
): LockEntry {
  const { source, targets, declaredName, action } = details;
  const requires = manifest?.gating.skills ?? [];
  // A direct request makes it wanted for itself.
  const requiredBy = details.requiredBy ?? (action === undefined ? undefined : before?.requiredBy) ?? [];
  // Once the user requested it, it stays theirs, even if a file names it too.
  const named = before === undefined ? details.askedBy : before.askedBy;
  const isContent = details.askedBy !== "person" && named === "content";
  const now = scope.kind === "user" ? new Date(clock()).toISOString() : undefined;
  const installedAt = before?.digest === digest ? before.installedAt : now;
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
    ...(installedAt !== undefined && { installedAt }),
    ...(declaredName !== undefined && { declaredName }),
    ...(requires.length > 0 && { requires }),
    ...(requiredBy.length > 0 && { requiredBy }),
    ...(isContent && { askedBy: "content" }),
    ...(parts !== undefined && { allowed: heldAllowances(before, { digest }) }),
    ...(details.isLinked === true && { linked: true }),
  };
}

function actionOf(
  before: LockEntry,
  entry: LockEntry,
  action: ItemDetails["action"],
  drift: readonly Drift[],
): PlannedItem["action"] {
  if (action === "restore") return drift.length === 0 ? "unchanged" : "restore";
  const keysOf = ({ targets }: LockEntry): string =>
    JSON.stringify(targets.map(({ path, how, agent }) => [path, how, agent]));
  const isSame =
    before.digest === entry.digest && before.linked === entry.linked && keysOf(before) === keysOf(entry);
  if (!isSame || action === "rollback") return action ?? "update";
  // A missing target is restored; edits are only reported.
  const isGone = drift.length > 0 && drift.every(({ kind, file }) => kind === "missing" && file === "");
  return isGone ? "restore" : "unchanged";
}

function questionsOf({ decision }: JudgedItem, changes?: VersionChanges): readonly string[] {
  const gains = askAboutGains(changes?.gained ?? []);
  return [...(decision.outcome === "ask" ? [decision.reason] : []), ...(gains === undefined ? [] : [gains])];
}

export function whyBlocked({ report, decision: { reason } }: JudgedItem): string {
  const [worst] = report.findings;
  // Files that the scan could not read completely also call for caution, without a finding.
  const [unread, ...rest] = report.coverage.filter(({ state }) => state !== "read");
  const others = rest.length === 0 ? "" : ` and ${rest.length} more`;
  if (worst)
    return `${reason}. ${worst.rule} in ${worst.file}:${worst.line}: ${worst.message.replace(/[.]$/, "")}.`;
  if (unread === undefined) return `${reason}.`;
  return `${reason}. The scan could not read all of it: ${unread.file}${others} (${unread.reason ?? unread.state}).`;
}

function blockedReason(parts: HubParts, judged: JudgedItem, { action, source }: ItemDetails): string {
  const { name, digest, untrusted, decision } = judged;
  const before = parts.lock.skills.get(name);
  const stays = before && `, and version ${showVersion(before)} stays`;
  const install = `install ${shellWord(source)}`;
  const [words, refused] = {
    // A newer tag is another source.
    update: [source === before?.source ? `update ${name}` : install, `cannot be updated${stays}`],
    rollback: [`rollback ${name}`, `cannot be rolled back${stays}`],
    restore: ["install", "is not installed"],
    install: [install, "is not installed"],
  }[action ?? "install"];
  // `skillet scan` does not take remote sources, and a dry run shows all findings.
  const look = scopedCommand(parts, `${words} --dry-run`);
  const help = decision.forceable
    ? ` Look at it with \`${look}\`, then pass --force if you still want it.`
    : ` To look at it: \`${look}\`. If that is a false alarm, say why, then try again: \`skillet trust --approve ${shellWord(`${name}@${digest}`)} --reason TEXT\`.`;
  const whose =
    untrusted &&
    ` It lies in ${untrusted}, which is not trusted yet, so it counts as the community's; if that is yours, run \`skillet trust ${shellWord(untrusted)}\` first.`;
  return `${name} ${refused}: ${whyBlocked(judged)}${whose ?? ""}${help}`;
}

/** Another name that users easily confuse with this one. */
export function findLookAlike(name: string, others: Iterable<string>): string | undefined {
  const skeleton = nameSkeleton(name);
  return [...others].find((other) => other !== name && nameSkeleton(other) === skeleton);
}

export function lookAlikeReason(name: string, holder: string): string {
  return `${name} is easily confused with ${holder}; pass --name OTHER.`;
}
