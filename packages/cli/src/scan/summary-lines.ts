import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ScanSummary } from "@skillet/scan";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { count } from "../ui/skill-state.ts";
import type { FindingLayout } from "./finding-block.ts";
import type { ReportEnd } from "./report-writer.ts";
import { verdictMark } from "./verdict-mark.ts";

/** What the scan adds up to, and what could not be searched. */
export function summaryLines({ summary, diagnostics }: ReportEnd, layout: FindingLayout): string[] {
  const faults = diagnostics.flatMap((diagnostic) => [
    ...diagnosticReport(diagnostic, { ...layout, file: diagnostic.file }),
    "",
  ]);
  const errors = diagnostics.filter(isError).length;
  const failed =
    summary.skills === 0 ? "Nothing was scanned" : `${count(errors, "place")} could not be scanned`;
  return [
    ...faults,
    ...(summary.skills === 0 ? [] : [verdictLine(summary, layout)]),
    ...(errors > 0 ? [`${layout.colours.red("✗")} ${failed}`] : []),
  ];
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

function verdictLine(
  { skills, verdicts, notWholly, suppressed }: ScanSummary,
  layout: FindingLayout,
): string {
  const worst = verdicts.dangerous > 0 ? "dangerous" : verdicts.caution > 0 ? "caution" : "safe";
  const parts = (["dangerous", "caution", "safe"] as const)
    .filter((verdict) => verdicts[verdict] > 0)
    .map((verdict) => `${verdicts[verdict]} ${verdict}`);
  const notes = [
    ...(notWholly > 0 ? [`${count(notWholly, "file")} not read whole`] : []),
    ...(suppressed > 0 ? [`${count(suppressed, "finding")} dismissed`] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${verdictMark(worst, layout.colours)} ${count(skills, "skill")}: ${parts.join(", ")}${note}`;
}
