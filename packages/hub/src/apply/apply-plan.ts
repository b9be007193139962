import { isDeepStrictEqual } from "node:util";
import type { AuditAction, AuditEntry } from "@skillet/core";
import { approveSkill } from "@skillet/core/internal";
import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import { compareByteOrder } from "@skillet/kit/order";
import { ENTRY_KEYS, type LockEntry } from "../lock/lock-entry.ts";
import { type Change, commitChanges } from "../place/commit-changes.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import type { Plan, PlanItem, Refusal } from "../plan/plan.ts";
import { leftWithDeclined } from "../plan/plan-update.ts";
import { keepSignatures } from "../sources/collect-envelopes.ts";
import { endAllowances } from "./allow-plugin.ts";
import {
  type ApplyOptions,
  doneOutcome,
  type HubResult,
  refusedResult,
  resultOf,
  settleQuestions,
} from "./hub-result.ts";

/** Carries a plan out: all of it, or nothing, unless someone said to keep going; each decision is recorded. */
export async function applyPlan(
  parts: HubParts,
  plan: Plan,
  options: ApplyOptions,
): Promise<readonly HubResult[]> {
  const { failed = [] } = plan;
  for (const refusal of failed) await parts.writeAudit(refusalRecord(parts, refusal));
  const results = await applyItems(parts, plan, options);
  return [...results, ...failed.map((refusal) => refusedResult(refusal, "failed"))];
}

async function applyItems(parts: HubParts, plan: Plan, options: ApplyOptions): Promise<readonly HubResult[]> {
  if (plan.refusals.length > 0) return refuse(parts, plan);
  const planned = plan.items.map((item) => withEdits(item, options));
  const { declined, approved } = await settleQuestions(parts, planned, options);
  const keepGoing = options.keepGoing === true;
  const left = leftWithDeclined(planned, declined);
  const items = keepGoing ? planned.filter(({ name }) => !declined.has(name) && !left.has(name)) : planned;
  if (declined.size > 0 && !keepGoing) return decline(parts, planned, declined);
  const out = planned.filter((item) => !items.includes(item));
  const declinedResults = await decline(parts, out, declined, left);
  const changes = items.flatMap((item) =>
    changesOf(parts, item, { ...options, isApproved: approved.has(item.name) }),
  );
  // Before: they need no protection, and a crash after the change would leave what is signed without its signatures.
  for (const { candidate } of items)
    if (candidate.envelopes !== undefined)
      await keepSignatures(parts.home, candidate.digest, candidate.envelopes);
  await endAllowances(parts, changes);
  const onStage = (stage: string): void => parts.onStep({ step: "place", what: stage });
  const entries = await commitChanges({ ...parts, changes, onStage });
  for (const item of items) {
    // A crash may have come between the change and this: whoever insists once more is heard once more.
    if (item.action !== "unchanged" || isForced(item)) await keepApproval(parts, item);
    if (item.action === "unchanged") await recordNamed(parts, item);
  }
  // As it is in the lock now: where a disk has no links, copies were made instead.
  const results = items.map((item) => {
    const placed = { ...item, entry: entries.get(item.name) ?? item.entry };
    return resultOf(placed, doneOutcome(item), editedReason(item));
  });
  return [...results, ...declinedResults].sort((one, other) => compareByteOrder(one.name, other.name));
}

// Naming the source of what is there already is the approval that a project's lock needs, though nothing changes.
async function recordNamed(parts: HubParts, item: PlanItem): Promise<void> {
  const { entry, origin, askedBy } = item;
  if (parts.scope.kind === "user" || askedBy === undefined) return;
  const wanted = origin === "local" ? origin : undefined;
  if (await parts.decisions.isNamed(parts.lockFile, entry.source, wanted)) return;
  await parts.writeAudit(recordOf(parts, item, false));
}

// Whoever says that edits are not wanted gets what was installed, also where there is nothing newer.
function withEdits(item: PlanItem, { discardEdits }: ApplyOptions): PlanItem {
  const isEdited = item.action === "unchanged" && item.drift !== undefined;
  return isEdited && discardEdits ? { ...item, action: "restore" } : item;
}

function editedReason({ name, action, drift }: PlanItem): string | undefined {
  if (action !== "unchanged" || drift === undefined) return undefined;
  const files = [...new Set(drift.map(({ file, target }) => file || target))];
  const more = files.length > MAX_FILES_NAMED ? ` and ${files.length - MAX_FILES_NAMED} more` : "";
  return `${name} was edited: ${files.slice(0, MAX_FILES_NAMED).join(", ")}${more}. Pass --discard to have it as it was installed.`;
}

const MAX_FILES_NAMED = 5;

const ACTIONS: Readonly<Record<PlanItem["action"], AuditAction>> = {
  install: "install",
  update: "update",
  rollback: "rollback",
  restore: "install",
  unchanged: "install",
};

async function refuse(parts: HubParts, { items, refusals }: Plan): Promise<readonly HubResult[]> {
  for (const refusal of refusals) await parts.writeAudit(refusalRecord(parts, refusal));
  const first = refusals[0]?.name ?? "";
  return [
    ...items.map((item) => resultOf(item, "skipped", `Nothing was installed, because ${first} was refused.`)),
    ...refusals.map((refusal) => refusedResult(refusal, "refused")),
  ];
}

async function decline(
  parts: HubParts,
  items: readonly PlanItem[],
  declined: ReadonlyMap<string, string>,
  left: ReadonlyMap<string, string> = new Map(),
): Promise<readonly HubResult[]> {
  const results: HubResult[] = [];
  for (const item of items) {
    const reason = declined.get(item.name);
    if (reason !== undefined) await parts.writeAudit(declinedRecord(parts, item, reason));
    const why = left.get(item.name) ?? "Nothing was installed, because another was declined.";
    results.push(reason === undefined ? resultOf(item, "skipped", why) : resultOf(item, "declined", reason));
  }
  return results;
}

function declinedRecord(parts: HubParts, item: PlanItem, reason: string): AuditEntry {
  const { forced: _, ...record } = recordOf(parts, item, false);
  return { ...record, decision: "deny", reason: reason.slice(0, MAX_REASON_CHARACTERS) };
}

function changesOf(
  parts: HubParts,
  item: PlanItem,
  { discardEdits, isApproved }: ApplyOptions & { readonly isApproved: boolean },
): readonly Change[] {
  const { name, entry, before, candidate, action } = item;
  const record = recordOf(parts, item, isApproved);
  if (action === "unchanged")
    return before === undefined || sameEntry(parts, before, entry)
      ? []
      : [{ kind: "note", name, before, entry, record: { ...record, action: "update" } }];
  const files = entry.linked === true ? [] : candidate.files;
  return [{ kind: "put", name, files, entry, discardEdits, record, ...(before !== undefined && { before }) }];
}

// The same files at another commit, or for another reason: the lock follows, so that no one is told of it forever.
function sameEntry({ scope }: HubParts, before: LockEntry, entry: LockEntry): boolean {
  const { report: earlier, ...old } = before;
  const { report: later, ...now } = entry;
  // Sessions go by the origin that a user's lock has; in a project's it may be another for each who works on it.
  if (scope.kind === "user" && earlier.origin !== later.origin) return false;
  const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));
  return isDeepStrictEqual(plain(old), plain({ ...extras(old), ...now }));
}

// Keys of a later version stay in the lock, and do not count as a difference.
function extras(before: object): object {
  return Object.fromEntries(Object.entries(before).filter(([key]) => !ENTRY_KEYS.has(key)));
}

function recordOf(parts: HubParts, item: PlanItem, isApproved: boolean): AuditEntry {
  const { name, entry, before, origin, report, action } = item;
  const insisted = isForced(item) || item.overridden !== undefined;
  return {
    action: ACTIONS[action],
    skill: name,
    path: parts.lockFile,
    digest: entry.digest,
    source: entry.source,
    resolved: JSON.stringify(entry.resolved),
    origin,
    verdict: report.verdict,
    ...(before !== undefined && { replaces: before.digest }),
    decision: "allow",
    ...(item.askedBy !== undefined && { askedBy: item.askedBy }),
    ...(insisted && { forced: true }),
    reason: reasonOf(item, isApproved).slice(0, MAX_REASON_CHARACTERS),
  };
}

// That someone approved is said only where someone was asked. What force answered comes first: a reason is cut.
function reasonOf({ questions, overridden = [], decision, action }: PlanItem, isApproved: boolean): string {
  const asked = action === "unchanged" ? [] : questions;
  const beforehand = [...overridden, ...(isApproved ? [] : asked)];
  const reasons = [
    ...(isApproved ? [`approved: ${asked.join("; ")}`] : []),
    ...(beforehand.length > 0 ? [`accepted beforehand: ${beforehand.join("; ")}`] : []),
  ];
  return reasons.length === 0 ? decision.reason : reasons.join("; ");
}

function refusalRecord(
  parts: HubParts,
  { name, source, code, digest, reason, inspected, wanted }: Refusal,
): AuditEntry {
  return {
    // Only what the table forbids is blocked; what cannot be had is an install or an update that did not come about.
    action: code === "blocked" ? "block" : (wanted ?? "install"),
    skill: name,
    path: parts.lockFile,
    ...(digest !== undefined && { digest }),
    source,
    ...(inspected && { origin: inspected.origin, verdict: inspected.report.verdict }),
    decision: "deny",
    reason: reason.slice(0, MAX_REASON_CHARACTERS),
  };
}

const MAX_REASON_CHARACTERS = 500;

// Where the table asks, and a person said yes, no one insisted.
function isForced({ decision }: PlanItem): boolean {
  return decision.forceable && decision.outcome === "allow";
}

/** Keeps the yes to what the table would not have offered: whoever gave it is not asked again for the same bytes. */
async function keepApproval(parts: HubParts, item: PlanItem): Promise<void> {
  const { name, decision } = item;
  if (item.report.verdict === "safe" || !decision.forceable) return;
  // Where the table asks, and a person said yes, no one insisted.
  const forced = decision.outcome === "allow";
  for (const { digest, report } of await offeredOf(parts, item)) {
    if (report.verdict === "safe") continue;
    const { verdict, findings } = report;
    const critical = findings.filter(({ severity }) => severity === "critical").map(({ rule }) => rule);
    const criticalRules = [...new Set(critical)].sort();
    const approval = { digest, skill: name, verdict, criticalRules, forced };
    await approveSkill({ home: parts.home, approval, clock: parts.clock });
  }
}

interface Offered {
  readonly digest: Digest;
  readonly report: PlanItem["report"];
}

// A plugin is installed whole, but offered skill by skill: the yes to it holds for each as far as that one needs it, and
// not for what the worst of them was found to do.
async function offeredOf({ scan }: HubParts, { candidate, report }: PlanItem): Promise<readonly Offered[]> {
  const { files, parts, digest } = candidate;
  if (parts === undefined) return [{ digest, report }];
  const offered: Offered[] = [];
  for (const { folder } of parts.skills) {
    const prefix = folder === "" ? "" : `${folder}/`;
    const own = files
      .filter(({ path }) => path.startsWith(prefix))
      .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
    offered.push({ digest: treeDigestOf(own), report: await scan(own) });
  }
  return offered;
}
