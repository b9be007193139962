import { isAbsolute, join } from "node:path";
import type { Diagnostic } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { wrap } from "../ui/fit-text.ts";
import { showPath, showSentence } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Colours } from "../ui/terminal.ts";
import { fileTree } from "./file-tree.ts";
import { isRefusal, type ResultRow } from "./result-row.ts";
import { showPin } from "./show-pin.ts";

/** What came of a command, and how it is told. */
export interface ResultReport {
  readonly rows: readonly ResultRow[];
  /** The lock's folder. */
  readonly root: string;
  readonly dryRun: boolean;
  readonly diagnostics?: readonly Diagnostic[];
  /** Tools that are missing, as documents have them. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Paths of what was installed, by name. */
  readonly files?: ReadonlyMap<string, readonly string[]>;
  /** The command for those that nothing speaks against, where others kept them from being done. */
  readonly alone?: ((names: readonly string[]) => string) | undefined;
  /** What to say where there is nothing to tell. */
  readonly nothing: string;
}

/** Prints what became of each name, as a document or for people, and gives the exit code. */
export function reportResults(context: CommandContext, report: ResultReport): ExitCode {
  const { rows, dryRun, diagnostics = [], tools = [] } = report;
  if (context.json)
    printJson(context.terminal, {
      ...(dryRun && { dryRun }),
      results: rows,
      ...(tools.length > 0 && { tools }),
      ...(diagnostics.length > 0 && { diagnostics: diagnostics.map(diagnosticRow) }),
    });
  else printRows(context, report);
  return rows.some(isRefusal) ? 1 : 0;
}

function printRows(context: CommandContext, report: ResultReport): void {
  const { terminal } = context;
  if (report.rows.length === 0) terminal.print(report.nothing);
  const skipped = report.rows.filter(({ outcome }) => outcome === "skipped");
  // Why nothing was done comes before all that was not done because of it.
  const isCause = (row: ResultRow): boolean => isRefusal(row) && row.outcome !== "skipped";
  const rows =
    skipped.length === 0
      ? report.rows
      : [...report.rows.filter(isCause), ...report.rows.filter((row) => !isCause(row))];
  for (const row of rows) printRow(context, row, report);
  if (skipped.length > 0 && report.alone !== undefined)
    terminal.print(`Without those: ${report.alone(skipped.map(({ name }) => stripControl(name)))}`);
  if (report.dryRun) terminal.print("Nothing was changed: this was a dry run.");
}

function printRow(
  { terminal, environment }: CommandContext,
  row: ResultRow,
  { root, dryRun, files }: ResultReport,
): void {
  const { colours, width } = terminal;
  const { name, outcome, reason, resolved, digest, targets = [] } = row;
  const pin = resolved === undefined ? "" : `  ${colours.dim(stripControl(showPin(resolved, digest)))}`;
  const words = dryRun && !isRefusal(row) ? wouldBe(outcome) : outcome;
  terminal.print(`${markOf(row, colours)} ${colours.bold(stripControl(name))}  ${words}${pin}`);
  const lines = reason === undefined ? [] : wrap(showSentence(reason, environment), { width: width - 4 });
  for (const line of lines) terminal.print(`    ${line}`);
  if (!PLACED.has(outcome) || dryRun) return;
  for (const { path, how } of targets) {
    const place = showPath(isAbsolute(path) ? path : join(root, path), environment);
    terminal.print(`    ${place}${how === "link" ? " (link)" : ""}`);
  }
  for (const line of fileTree(files?.get(name) ?? [])) terminal.print(`      ${colours.dim(line)}`);
}

/** Says on standard error what was odd about a source; with `--json` the document has it. */
export function warnDiagnosticsOf(
  { terminal, environment, json }: CommandContext,
  diagnostics: readonly Diagnostic[],
): void {
  if (json) return;
  const layout = {
    width: terminal.errorLineWidth,
    lineWidth: terminal.errorLineWidth,
    colours: terminal.errorColours,
    environment,
  };
  // Style is its author's business, and `skillet validate` tells.
  for (const diagnostic of diagnostics.filter(({ severity }) => severity !== "info"))
    for (const line of diagnosticReport(diagnostic, { ...layout, file: diagnostic.file }))
      terminal.warn(line);
}

const PLACED: ReadonlySet<string> = new Set(["installed", "restored", "updated", "rolled-back"]);

function wouldBe(outcome: ResultRow["outcome"]): string {
  return ["unchanged", "kept", "pinned"].includes(outcome) ? outcome : `would be ${outcome}`;
}

function markOf(row: ResultRow, colours: Colours): string {
  if (isRefusal(row)) return colours.red("✗");
  return ["kept", "pinned", "unchanged"].includes(row.outcome) ? colours.dim("○") : colours.green("✓");
}
