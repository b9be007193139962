import type { Plan, PlanItem, Refusal } from "@skillet/hub";
import { shellQuote } from "../ui/shell-quote.ts";
import { loadInstalling } from "./load-installing.ts";
import type { ResultRow } from "./result-row.ts";
import type { HubWork } from "./with-hub.ts";

/** What would happen with nobody there, so that a dry run in a pipeline tells what the run itself will say. */
export function dryRows(
  work: HubWork,
  { items, refusals, failed = [] }: Plan,
  { acceptCapabilities }: { readonly acceptCapabilities: boolean },
): readonly ResultRow[] {
  const isRefused = refusals.length > 0;
  return [
    ...items.map((item): ResultRow => {
      if (isRefused)
        return rowOf(
          item,
          "skipped",
          `Nothing would be done, because ${refusals[0]?.name ?? ""} is refused.`,
        );
      if (item.action !== "unchanged" && isOpen(item, acceptCapabilities))
        return rowOf(item, "declined", openReason(work, item));
      return rowOf(item, OUTCOMES[item.action]);
    }),
    ...refusals.map((refusal) => refusedRow(refusal, "refused")),
    ...failed.map((refusal) => refusedRow(refusal, "failed")),
  ];
}

/** The rows of a plan that somebody said no to: what would not have changed stays what it is. */
export function declinedRows({ items, failed = [] }: Plan): readonly ResultRow[] {
  return [
    ...items.map((item) => rowOf(item, item.action === "unchanged" ? "unchanged" : "declined")),
    ...failed.map((refusal) => refusedRow(refusal, "failed")),
  ];
}

/** Whether an item waits for a person, whatever `--yes` says. */
export function isOpen(item: PlanItem, acceptCapabilities: boolean): boolean {
  if (item.questions.length === 0) return false;
  return !acceptCapabilities || loadInstalling().neededAnswer(item) !== "accept-capabilities";
}

function refusedRow(
  { name, source, code, reason, digest }: Refusal,
  unavailable: "refused" | "failed",
): ResultRow {
  const outcome = code === "blocked" ? "blocked" : code === "unavailable" ? unavailable : "refused";
  return { name, source, outcome, reason, ...(digest && { digest }) };
}

function openReason(work: HubWork, { questions, ...item }: PlanItem): string {
  const { neededAnswer, scopedCommand } = loadInstalling();
  const answer = neededAnswer({ questions, ...item });
  const instead =
    answer === "own-install"
      ? `to be installed by itself (${scopedCommand(work, `install ${shellQuote(item.entry.source)}`)})`
      : `--${answer}`;
  return `It would need a person's yes, or ${instead}: ${questions.join("; ")}.`;
}

const OUTCOMES: Readonly<Record<PlanItem["action"], ResultRow["outcome"]>> = {
  install: "installed",
  update: "updated",
  rollback: "rolled-back",
  restore: "restored",
  unchanged: "unchanged",
};

function rowOf(
  { name, entry, changes, candidate }: PlanItem,
  outcome: ResultRow["outcome"],
  reason?: string,
): ResultRow {
  const { source, resolved, digest, targets } = entry;
  return {
    name,
    source,
    resolved,
    digest,
    outcome,
    ...(reason !== undefined && { reason }),
    ...(changes !== undefined && { changes }),
    ...(candidate.signers !== undefined && { signedBy: candidate.signers }),
    targets,
  };
}
