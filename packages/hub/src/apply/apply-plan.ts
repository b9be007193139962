import { isDeepStrictEqual } from "node:util";
import {
  type AuditAction,
  type AuditEntry,
  approveSkill,
  digestBytes,
  digestTree,
  type Origin,
} from "@skillet/core";
import { keepSignatures } from "../inspect/kept-signatures.ts";
import { ENTRY_KEYS } from "../lock/entry-keys.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Change } from "../place/change.ts";
import { commitChanges } from "../place/commit-changes.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import type { Plan, PlanItem, Refusal } from "../plan/plan.ts";
import type { ApplyOptions } from "./apply-options.ts";
import type { HubOutcome, HubResult } from "./hub-result.ts";
import { settleQuestions } from "./settle-questions.ts";

/** Carries a plan out: all of it, or nothing; each decision is recorded. */
export async function applyPlan(
  parts: HubParts,
  plan: Plan,
  options: ApplyOptions,
): Promise<readonly HubResult[]> {
  if (plan.refusals.length > 0) return refuse(parts, plan);
  const items = plan.items.map((item) => withEdits(item, options));
  const { declined, approved } = await settleQuestions(parts, items, options);
  if (declined.size > 0) return decline(parts, { ...plan, items }, declined);
  const changes = items.flatMap((item) =>
    changesOf(parts, item, { ...options, isApproved: approved.has(item.name) }),
  );
  if (changes.length > 0)
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
  for (const item of items) {
    const { envelopes } = item.candidate;
    if (envelopes !== undefined) await keepSignatures(parts.home, item.candidate.digest, envelopes);
    if (item.action !== "unchanged") await keepApproval(parts, item);
  }
  return items.map((item) => resultOf(item, OUTCOMES[item.action], editedReason(item)));
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

const OUTCOMES: Readonly<Record<PlanItem["action"], HubOutcome>> = {
  install: "installed",
  update: "updated",
  rollback: "rolled-back",
  restore: "restored",
  unchanged: "unchanged",
};

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
    ...refusals.map(({ name, source, code, reason, digest, inspected }): HubResult => {
      const outcome = code === "blocked" ? "blocked" : "refused";
      const resolved = inspected?.candidate.resolved;
      return { name, source, outcome, reason, ...(digest && { digest }), ...(resolved && { resolved }) };
    }),
  ];
}

async function decline(
  parts: HubParts,
  { items }: Plan,
  declined: ReadonlyMap<string, string>,
): Promise<readonly HubResult[]> {
  const results: HubResult[] = [];
  for (const item of items) {
    const reason = declined.get(item.name);
    if (reason !== undefined) await parts.writeAudit(declinedRecord(parts, item, reason));
    results.push(
      reason === undefined
        ? resultOf(item, "skipped", "Nothing was installed, because another was declined.")
        : resultOf(item, "declined", reason),
    );
  }
  return results;
}

function declinedRecord(parts: HubParts, item: PlanItem, reason: string): AuditEntry {
  const { forced: _, ...record } = recordOf(parts, item, { isApproved: false });
  return { ...record, decision: "deny", reason: reason.slice(0, MAX_REASON_CHARACTERS) };
}

function changesOf(
  parts: HubParts,
  item: PlanItem,
  { discardEdits, isApproved }: ApplyOptions & { readonly isApproved: boolean },
): readonly Change[] {
  const { name, entry, before, candidate, action } = item;
  const record = recordOf(parts, item, { isApproved });
  if (action === "unchanged")
    return before === undefined || sameEntry(before, entry)
      ? []
      : [{ kind: "note", name, before, entry, record: { ...record, action: "update" } }];
  const files = entry.linked === true ? [] : candidate.files;
  return [{ kind: "put", name, files, entry, discardEdits, record, ...(before !== undefined && { before }) }];
}

// The same files at another commit, or for another reason: the lock follows, so that nobody is told of it forever.
function sameEntry(before: LockEntry, entry: LockEntry): boolean {
  const { report: _, ...old } = before;
  const { report: __, ...now } = entry;
  const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));
  return isDeepStrictEqual(plain(old), plain({ ...extras(old), ...now }));
}

// Keys of a later version stay in the lock, and are no difference.
function extras(before: object): object {
  return Object.fromEntries(Object.entries(before).filter(([key]) => !ENTRY_KEYS.has(key)));
}

function recordOf(
  parts: HubParts,
  item: PlanItem,
  { isApproved }: { readonly isApproved: boolean },
): AuditEntry {
  const { name, entry, before, origin, report, action } = item;
  const insisted = isForced(item);
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
    ...(insisted && { forced: true }),
    reason: reasonOf(item, isApproved).slice(0, MAX_REASON_CHARACTERS),
  };
}

// That somebody approved is said only where somebody was asked.
function reasonOf({ questions, decision, action }: PlanItem, isApproved: boolean): string {
  if (isApproved) return `approved: ${questions.join("; ")}`;
  const isOpen = questions.length > 0 && action !== "unchanged";
  return isOpen ? `accepted beforehand: ${questions.join("; ")}` : decision.reason;
}

function refusalRecord(
  parts: HubParts,
  { name, source, digest, reason, inspected, wanted }: Refusal,
): AuditEntry {
  return {
    action: wanted ?? "block",
    skill: name,
    path: parts.lockFile,
    ...(digest !== undefined && { digest }),
    source,
    ...(inspected && verdictOf(inspected.origin, inspected.report.verdict)),
    decision: "deny",
    reason: reason.slice(0, MAX_REASON_CHARACTERS),
  };
}

function verdictOf(origin: Origin, verdict: string): Pick<AuditEntry, "origin" | "verdict"> {
  return { origin, verdict };
}

const MAX_REASON_CHARACTERS = 500;

// Where the table asks, and a person said yes, nobody insisted.
function isForced({ decision }: PlanItem): boolean {
  return decision.forceable && decision.outcome === "allow";
}

// Whoever insisted here must not be asked again for the same bytes when the skill is offered.
async function keepApproval(parts: HubParts, item: PlanItem): Promise<void> {
  const { name, candidate, report, decision } = item;
  if (report.verdict === "safe" || !decision.forceable) return;
  const critical = report.findings.filter(({ severity }) => severity === "critical").map(({ rule }) => rule);
  const criticalRules = [...new Set(critical)].sort();
  for (const digest of digestsOf(candidate))
    await approveSkill({
      home: parts.home,
      approval: { digest, skill: name, verdict: report.verdict, criticalRules, forced: isForced(item) },
      clock: parts.clock,
    });
}

// A plugin is installed whole, but offered skill by skill.
function digestsOf({
  digest,
  files,
  parts,
}: PlanItem["candidate"]): readonly PlanItem["candidate"]["digest"][] {
  if (parts === undefined) return [digest];
  return parts.skills.map(({ folder }) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const own = files.filter(({ path }) => path.startsWith(prefix));
    return digestTree(
      own.map(({ path, mode, bytes }) => ({
        path: path.slice(prefix.length),
        mode,
        digest: digestBytes(bytes),
        size: bytes.length,
      })),
    );
  });
}

function resultOf(item: PlanItem, outcome: HubOutcome, reason?: string): HubResult {
  const { name, entry, changes } = item;
  const { source, resolved, digest, targets } = entry;
  return {
    name,
    source,
    resolved,
    digest,
    outcome,
    ...(reason !== undefined && { reason }),
    ...(changes !== undefined && { changes }),
    targets,
  };
}
