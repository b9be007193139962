import type { Diagnostic } from "@skillet/core";
import { isValid, type ValidationResult } from "../validate/validation-result.ts";
import { diagnosticReport } from "./diagnostic-report.ts";
import { truncate } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { count } from "./skill-state.ts";
import { showControl, stripControl } from "./strip-control.ts";

// A repair touches a few lines of a header; more than a screen of them says nothing.
const MAX_CHANGED_LINES = 40;

/** How much of a report is wanted. */
export interface ReportOptions extends Layout {
  /** Errors only. */
  readonly quiet: boolean;
  readonly lineWidth: number;
  readonly dryRun: boolean;
}

/** Every diagnostic as a compiler prints it, what was repaired, and one line that adds it up. */
export function validationReport(results: readonly ValidationResult[], options: ReportOptions): string[] {
  const blocks = results.flatMap((result) => [
    ...repairBlocks(result, options),
    ...diagnosticBlocks(result, options),
  ]);
  const lines = blocks.flatMap((block) => [...block, ""]);
  if (!options.quiet) return [...lines, summary(results, options)];
  return lines.slice(0, -1);
}

function repairBlocks({ path, repairs }: ValidationResult, options: ReportOptions): string[][] {
  if (repairs === undefined || options.quiet) return [];
  const { colours, width } = options;
  const codes = [...new Set(repairs.applied.map(({ code }) => stripControl(code)))].join(", ");
  const title = `${showControl(path)}: ${options.dryRun ? "would repair" : "repaired"} ${codes}`.trimEnd();
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
  const shownText = wouldRepair(result, options) ? undefined : result.text;
  return listed(result, options)
    .filter(({ severity }) => !options.quiet || severity === "error")
    .map((diagnostic) =>
      diagnosticReport(diagnostic, {
        ...options,
        file: diagnostic.file,
        ...(shownText !== undefined && { text: shownText }),
      }),
    );
}

// A dry run lists what would be left.
function listed(result: ValidationResult, options: ReportOptions): readonly Diagnostic[] {
  const { diagnostics, repairs } = result;
  return wouldRepair(result, options) ? (repairs?.remaining ?? diagnostics) : diagnostics;
}

function wouldRepair({ repairs }: ValidationResult, options: ReportOptions): boolean {
  return options.dryRun && repairs !== undefined;
}

function summary(results: readonly ValidationResult[], options: ReportOptions): string {
  const { colours } = options;
  const invalid = results.filter((result) => !isValid(result)).length;
  const tally = tallySeverities(results.flatMap((result) => listed(result, options)));
  const isForecast = results.some((result) => wouldRepair(result, options));
  const counted = isForecast ? `after the repairs: ${tally === "" ? "no faults" : tally}` : tally;
  const note = counted === "" ? "" : ` (${counted})`;
  const [only] = results;
  const single = only !== undefined && results.length === 1 ? showControl(only.path) : undefined;
  if (invalid === 0) {
    return `${colours.green("✓")} ${single === undefined ? `${count(results.length, "skill")}, all valid` : `${single} is valid`}${note}`;
  }
  return `${colours.red("✗")} ${single === undefined ? `${invalid} of ${results.length} invalid` : `${single} is invalid`}${note}`;
}

function tallySeverities(all: readonly Diagnostic[]): string {
  return (["error", "warning", "info"] as const)
    .map((severity) => ({
      severity,
      number: all.filter((diagnostic) => diagnostic.severity === severity).length,
    }))
    .filter(({ number }) => number > 0)
    .map(({ severity, number }) => count(number, severity === "info" ? "note" : severity))
    .join(", ");
}
