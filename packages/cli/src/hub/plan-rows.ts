import type { Plan, PlanItem } from "@skillet/hub";
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
  const { doneOutcome, refusedResult, resultOf } = loadInstalling();
  const isRefused = refusals.length > 0;
  return [
    ...items.map((item): ResultRow => {
      if (isRefused)
        return resultOf(
          item,
          "skipped",
          `Nothing would be done, because ${refusals[0]?.name ?? ""} is refused.`,
        );
      if (item.action !== "unchanged" && isOpen(item, acceptCapabilities))
        return resultOf(item, "declined", openReason(work, item));
      return resultOf(item, doneOutcome(item));
    }),
    ...refusals.map((refusal) => refusedResult(refusal, "refused")),
    ...failed.map((refusal) => refusedResult(refusal, "failed")),
  ];
}

/** The rows of a plan that somebody said no to: what would not have changed stays what it is. */
export function declinedRows({ items, failed = [] }: Plan): readonly ResultRow[] {
  const { refusedResult, resultOf } = loadInstalling();
  return [
    ...items.map((item) => resultOf(item, item.action === "unchanged" ? "unchanged" : "declined")),
    ...failed.map((refusal) => refusedResult(refusal, "failed")),
  ];
}

/** Whether an item waits for a person, whatever `--yes` says. */
export function isOpen(item: PlanItem, acceptCapabilities: boolean): boolean {
  if (item.questions.length === 0) return false;
  return !acceptCapabilities || loadInstalling().neededAnswer(item) !== "accept-capabilities";
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
