import { reportedFaults, type ValidationResult } from "../validate/validation-result.ts";
import { diagnosticReport } from "./diagnostic-report.ts";
import { truncate } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { count } from "./skill-state.ts";
import { showControl, stripControl } from "./strip-control.ts";
import { validationSummary } from "./validation-summary.ts";

// A repair touches a few lines of a header; more than a screen of them says nothing.
const MAX_CHANGED_LINES = 40;

/** How much of a report is wanted. */
export interface ReportOptions extends Layout {
  /** Errors only. */
  readonly quiet: boolean;
  readonly lineWidth: number;
}

/** Every diagnostic as a compiler prints it, what was repaired, and what it adds up to. */
export function validationReport(results: readonly ValidationResult[], options: ReportOptions): string[] {
  const blocks = results.flatMap((result) => [
    ...repairBlocks(result, options),
    ...diagnosticBlocks(result, options),
  ]);
  const lines = blocks.flatMap((block) => [...block, ""]);
  if (!options.quiet) return [...lines, ...validationSummary(results, options)];
  return lines.slice(0, -1);
}

function repairBlocks({ path, repairs }: ValidationResult, options: ReportOptions): string[][] {
  if (repairs === undefined || options.quiet) return [];
  const { colours, width } = options;
  const codes = [...new Set(repairs.applied.map(({ code }) => stripControl(code)))].join(", ");
  const title = `${showControl(path)}: ${repairs.written ? "repaired" : "would repair"} ${codes}`.trimEnd();
  const listed = repairs.changes.slice(0, MAX_CHANGED_LINES).map(({ sign, text }) => {
    const paint = sign === "-" ? colours.red : colours.green;
    return `  ${paint(truncate(`${sign} ${showTrailingSpace(showControl(text))}`, width - 2))}`;
  });
  const rest = repairs.changes.length - listed.length;
  return [
    [
      colours.bold(title),
      ...listed,
      ...(rest > 0 ? [`  ${colours.dim(`and ${count(rest, "more line")}`)}`] : []),
    ],
  ];
}

function showTrailingSpace(line: string): string {
  return line.replace(/ +$/, (spaces) => "·".repeat(spaces.length));
}

function diagnosticBlocks(result: ValidationResult, options: ReportOptions): string[][] {
  // Lines may move in a repair, so there is no text to show with what would be left.
  const shownText = result.repairs?.written === false ? undefined : result.text;
  return reportedFaults(result)
    .filter(({ severity }) => !options.quiet || severity === "error")
    .map((diagnostic) =>
      diagnosticReport(diagnostic, {
        ...options,
        file: diagnostic.file,
        ...(shownText !== undefined && diagnostic.file === result.file && { text: shownText }),
      }),
    );
}
