import type { AuditEntry } from "@skillet/core";
import { approveSkill } from "@skillet/core/internal";
import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import { sortByByteOrder } from "@skillet/kit/order";
import { criticalRulesOf, filesBelow } from "../inspect/inspect-item.ts";
import { isSameEntry } from "../lock/format-lock.ts";
import { keepUnknown } from "../lock/lock-entry.ts";
import { type Change, commitChanges } from "../place/commit-changes.ts";
import { planSteps } from "../place/plan-steps.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { whyBlocked } from "../plan/plan-reading.ts";
import { leftWithDeclined } from "../plan/plan-update.ts";
import type { DoneItem, Plan, PlannedItem, RefusedItem } from "../plan-item.ts";
import { keepSignatures } from "../sources/collect-envelopes.ts";
import { endAllowances } from "./allow-plugin.ts";
import { type ApplyOptions, doneResult, refusedResult, resultOf, settleQuestions } from "./hub-result.ts";

/** Refuses items whose place is occupied, by the same check that placing them makes. */
export async function refuseOccupied(parts: HubParts, plan: Plan): Promise<Plan> {
  const given = { discardEdits: true, isApproved: false };
  const changes = plan.items.flatMap((item) => changeOf(parts, item, given) ?? []);
  const occupied = new Map<string, string>();
  await planSteps({ ...parts, changes, occupied });
  const refusals = plan.items.flatMap(({ name, action, entry, installed }): readonly RefusedItem[] => {
    const reason = occupied.get(name);
    if (reason === undefined) return [];
    const { source, digest, requiredBy: [neededBy] = [] } = entry;
    const wanted = action === "update" || action === "rollback" ? { wanted: action } : {};
    const needed = installed === undefined && neededBy !== undefined ? { neededBy } : {};
    return [{ state: "refused", code: "name-taken", name, source, digest, reason, ...wanted, ...needed }];
  });
  const items = plan.items.filter(({ name }) => !occupied.has(name));
  return { ...plan, items, refusals: [...plan.refusals, ...refusals] };
}

/** Carries out a plan, all of it or nothing unless `keepGoing` is set, and records each decision. */
export async function applyPlan(
  given: HubParts,
  plan: Plan,
  options: ApplyOptions,
): Promise<readonly DoneItem[]> {
  const isDry = options.dryRun === true;
  const parts = isDry ? { ...given, ask: undefined, writeAudit: async () => undefined } : given;
  const { items, refusals, failed = [] } = options.discardEdits ? withoutEdits(plan) : plan;
  const isRefused = refusals.length > 0;
  for (const refusal of [...failed, ...refusals])
    if (refusal.code !== "present") await parts.writeAudit(refusalRecord(parts, refusal));
  const why = `Skipped, because ${refusals[0]?.name} was refused.`;
  const results = isRefused
    ? items.map((item) => resultOf(item, "skipped", why))
    : await applyItems(parts, items, options);
  return [
    ...sortByByteOrder([...results], ({ name }) => name),
    ...refusals.map((refusal) => refusedResult(refusal, "refused")),
    ...failed.map((refusal) => refusedResult(refusal, "failed")),
  ];
}

/** Discarding edits restores what was installed, even if there is nothing newer. */
export function withoutEdits(plan: Plan): Plan {
  const items = plan.items.map((item): PlannedItem => {
    const isEdited = item.action === "unchanged" && (item.installed?.drift ?? []).length > 0;
    return isEdited ? { ...item, action: "restore" } : item;
  });
  return { ...plan, items };
}

async function applyItems(
  parts: HubParts,
  planned: readonly PlannedItem[],
  options: ApplyOptions,
): Promise<readonly DoneItem[]> {
  const { discardEdits, isDeclined = false, keepGoing = false } = options;
  const { declined, approved } = await settleQuestions(parts, planned, options);
  if (isDeclined || (declined.size > 0 && !keepGoing)) return decline(parts, planned, declined);
  const left = leftWithDeclined(planned, declined);
  const isOut = ({ name }: PlannedItem): boolean => declined.has(name) || left.has(name);
  const declinedResults = await decline(parts, planned.filter(isOut), declined, left);
  const items = planned.filter((item) => !isOut(item));
  if (options.dryRun === true) return [...items.map(doneResult), ...declinedResults];
  const changes = items.flatMap((item) => {
    const change = changeOf(parts, item, { discardEdits, isApproved: approved.has(item.name) });
    return change === undefined ? [] : [change];
  });
  // Done first: signatures need no protection, and a crash after the change would leave signed files without them.
  for (const { digest, signed } of items)
    if (signed !== undefined && signed.envelopes.length > 0)
      await keepSignatures(parts.home, digest, signed.envelopes);
  await endAllowances(parts, changes);
  const onStage = (stage: string): void => parts.onStep({ step: "place", what: stage });
  const entries = await commitChanges({ ...parts, changes, onStage });
  for (const item of items) {
    // A crash may have come between the change and this record; forcing it once more then records the approval.
    if (item.action !== "unchanged" || isForced(item)) await keepApproval(parts, item);
    if (item.action === "unchanged") await recordNamed(parts, item);
  }
  // The entry as it is in the lock now: copies are made if the disk does not support links.
  const results = items.map((item) => doneResult({ ...item, entry: entries.get(item.name) ?? item.entry }));
  return [...results, ...declinedResults];
}

async function decline(
  parts: HubParts,
  items: readonly PlannedItem[],
  declined: ReadonlyMap<string, string>,
  left: ReadonlyMap<string, string> = new Map(),
): Promise<readonly DoneItem[]> {
  const results: DoneItem[] = [];
  for (const item of items) {
    const reason = declined.get(item.name);
    if (reason !== undefined) {
      const { forced: _, ...record } = recordOf(parts, item, false);
      await parts.writeAudit({ ...record, decision: "deny", reason: reason.slice(0, MAX_REASON_CHARACTERS) });
    }
    const why = left.get(item.name) ?? "Skipped, because another was declined.";
    results.push(reason === undefined ? resultOf(item, "skipped", why) : resultOf(item, "declined", reason));
  }
  return results;
}

function changeOf(
  parts: HubParts,
  item: PlannedItem,
  { discardEdits, isApproved }: { readonly discardEdits: boolean; readonly isApproved: boolean },
): Change | undefined {
  const { name, entry } = item;
  const before = item.installed?.entry;
  const record = recordOf(parts, item, isApproved);
  // A user who names another source installs from there; only the same source brings updates.
  const isOther = before !== undefined && before.source !== entry.source;
  if (item.action === "unchanged")
    return before === undefined || isUnchanged(parts, item)
      ? undefined
      : { kind: "note", name, before, entry, record: { ...record, ...(!isOther && { action: "update" }) } };
  const files = entry.linked === true ? [] : item.files;
  return { kind: "put", name, files, entry, discardEdits, record, ...(before !== undefined && { before }) };
}

// The same files at another commit, or for another reason: the lock follows, so that it is not reported forever.
function isUnchanged({ scope }: HubParts, { installed, entry }: PlannedItem): boolean {
  const before = installed?.entry;
  // Sessions use the origin in a user's lock; in a project's lock it may differ for each user who works on it.
  if (before === undefined || (scope.kind === "user" && before.report.origin !== entry.report.origin))
    return false;
  return isSameEntry({ ...before, report: entry.report }, keepUnknown(before, entry));
}

// Naming the source of an installed skill is the approval that a project's lock needs, even if nothing changes.
async function recordNamed(parts: HubParts, item: PlannedItem): Promise<void> {
  const { scope, decisions, lockFile, writeAudit } = parts;
  if (scope.kind === "user" || item.askedBy === undefined) return;
  const origin = item.origin === "local" ? item.origin : undefined;
  if (await decisions.isNamed(lockFile, item.entry.source, origin)) return;
  await writeAudit(recordOf(parts, item, false));
}

const MAX_REASON_CHARACTERS = 500;

function recordOf({ lockFile }: HubParts, item: PlannedItem, isApproved: boolean): AuditEntry {
  const { name, entry, installed, origin, report, action } = item;
  const insisted = isForced(item) || (item.installed?.overridden ?? []).length > 0;
  return {
    action: action === "update" || action === "rollback" ? action : "install",
    skill: name,
    path: lockFile,
    digest: entry.digest,
    source: entry.source,
    resolved: JSON.stringify(entry.resolved),
    origin,
    verdict: report.verdict,
    ...(installed !== undefined && { replaces: installed.entry.digest }),
    decision: "allow",
    ...(item.askedBy !== undefined && { askedBy: item.askedBy }),
    ...(insisted && { forced: true }),
    reason: reasonOf(item, isApproved).slice(0, MAX_REASON_CHARACTERS),
  };
}

// `approved` only if someone was asked. Doubts that force overrode come first, because a long reason is cut.
function reasonOf(item: PlannedItem, isApproved: boolean): string {
  const { questions, decision, action } = item;
  const asked = action === "unchanged" ? [] : questions;
  const beforehand = [...(item.installed?.overridden ?? []), ...(isApproved ? [] : asked)];
  const reasons = [
    ...(isApproved ? [`approved: ${asked.join("; ")}`] : []),
    ...(beforehand.length > 0 ? [`accepted beforehand: ${beforehand.join("; ")}`] : []),
  ];
  return reasons.length === 0 ? decision.reason : reasons.join("; ");
}

function refusalRecord({ lockFile }: HubParts, refusal: RefusedItem): AuditEntry {
  const { name, source, code, digest, reason, judged, wanted } = refusal;
  // Cuts off the advice after the reason, which is for the screen only.
  const told = judged === undefined ? reason : `${reason.split(": ", 1)}: ${whyBlocked(judged)}`;
  return {
    // Only the trust table blocks; anything else is an install or an update that failed.
    action: code === "blocked" ? "block" : (wanted ?? "install"),
    skill: name,
    path: lockFile,
    ...(digest !== undefined && { digest }),
    source,
    ...(judged && { origin: judged.origin, verdict: judged.report.verdict }),
    decision: "deny",
    reason: told.slice(0, MAX_REASON_CHARACTERS),
  };
}

// If the table asks and the user approved, now or earlier, nothing was forced.
function isForced({ decision, approved }: PlannedItem): boolean {
  return decision.forceable && decision.outcome === "allow" && approved !== true;
}

/** Records an approval of what the table would not have offered, so that nobody is asked again for the same bytes. */
async function keepApproval(parts: HubParts, item: PlannedItem): Promise<void> {
  if (item.report.verdict === "safe" || !item.decision.forceable || item.approved === true) return;
  for (const { digest, report } of await offeredOf(parts, item)) {
    if (report.verdict === "safe") continue;
    const { verdict } = report;
    const criticalRules = criticalRulesOf(report);
    const approval = { digest, skill: item.name, verdict, criticalRules, forced: isForced(item) };
    await approveSkill({ home: parts.home, approval, clock: parts.clock });
  }
}

interface Offered {
  readonly digest: Digest;
  readonly report: PlannedItem["report"];
}

// A plugin is installed and restored as a whole, but offered skill by skill: its approval covers each skill
// as far as that skill needs it, rather than the findings of the worst one.
async function offeredOf({ scan }: HubParts, item: PlannedItem): Promise<readonly Offered[]> {
  const { files, parts, digest, report } = item;
  const offered: Offered[] = [{ digest, report }];
  for (const { folder } of parts?.skills ?? []) {
    const own = filesBelow(files, folder);
    offered.push({ digest: treeDigestOf(own), report: await scan(own) });
  }
  return offered;
}
