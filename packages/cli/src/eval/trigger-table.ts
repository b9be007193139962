import type { ModelResult, SelectorResult, TriggerEvaluation, TriggerResult } from "@skillet/author";
import { pad, truncate, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";

// A set may hold thousands; `--json` has them all.
const MAX_LISTED = 100;
const MAX_QUERY_LINES = 3;
const MAX_DETAIL_LINES = 3;
const MAX_FAILURES = 5;
const OUTCOME_COLUMNS = 14;
const FIGURE_COLUMNS = 9;
const HEAD_COLUMNS = 2 + 2 + OUTCOME_COLUMNS + 1 + FIGURE_COLUMNS + 1;

// With less room beside it, a message stands below.
const MIN_MESSAGE_COLUMNS = 20;
const NARROW_INDENT = 4;
const LABEL_COLUMNS = 9;

/** What became of every message, those that fail first, each with why and what to change; for people. */
export function triggerTable(
  { results, summary, metrics }: TriggerEvaluation<SelectorResult> | TriggerEvaluation<ModelResult>,
  layout: Layout & { readonly verbose: boolean },
): string[] {
  const failing = results.filter(({ pass }) => pass === false);
  const unmeasured = results.filter(({ pass }) => pass === undefined);
  const passing = results.filter(({ pass }) => pass === true);
  const figures = [
    `precision ${figure(metrics.precision)}`,
    `recall ${figure(metrics.recall)}`,
    `F1 ${figure(metrics.f1)}`,
    `accuracy ${figure(metrics.accuracy)}`,
  ].join("  ");
  const passed = [
    `${summary.passed} of ${count(summary.total, "message")} passed`,
    ...(summary.unmeasured > 0 ? [`${summary.unmeasured} not measured`] : []),
  ].join(", ");
  const blocks = [
    section("Failing", failing, { ...layout, detail: "whole" }),
    section("Not measured", unmeasured, { ...layout, detail: "whole" }),
    section("Passing", passing, { ...layout, detail: layout.verbose ? "whole" : "none" }),
  ].filter((lines) => lines.length > 0);
  return [
    ...wrap(figures, layout).map((line) => layout.colours.bold(line)),
    ...wrap(passed, layout),
    ...failureLines(results, layout),
    ...blocks.flatMap((lines) => ["", ...lines]),
  ];
}

/** Why runs failed, each reason once: a server that is down says the same a hundred times. */
function failureLines(results: readonly Row[], { colours, width }: Layout): string[] {
  const times = new Map<string, number>();
  for (const row of results)
    for (const { message } of "failures" in row ? row.failures : [])
      times.set(message, (times.get(message) ?? 0) + 1);
  const reasons = [...times].sort(([, left], [, right]) => right - left);
  const rest = reasons.length - MAX_FAILURES;
  return [
    ...reasons.slice(0, MAX_FAILURES).flatMap(([message, number]) => {
      const text = `${count(number, "run")} failed: ${stripControl(message)}`;
      return wrap(text, { width: width - 2, maxLines: MAX_DETAIL_LINES }).map(
        (line, index) => `${index === 0 ? colours.yellow("!") : " "} ${line}`,
      );
    }),
    ...(rest > 0 ? [colours.dim(`  and for ${count(rest, "other reason")}: --json lists all`)] : []),
  ];
}

/** Two digits; only a whole is shown as one: 0.996 is not 1. What was not measured is no figure. */
export function figure(value: number | undefined): string {
  if (value === undefined) return "–";
  return (value < 1 ? Math.min(value, 0.99) : value).toFixed(2);
}

type Row = SelectorResult | ModelResult;
type RowLayout = Layout & { readonly detail: "whole" | "none" };

function section(title: string, rows: readonly Row[], layout: RowLayout): string[] {
  if (rows.length === 0) return [];
  const { colours } = layout;
  const rest = rows.length - MAX_LISTED;
  return [
    `${colours.bold(title)} ${colours.dim(String(rows.length))}`,
    ...(layout.width - HEAD_COLUMNS >= MIN_MESSAGE_COLUMNS
      ? [colours.dim(`    ${pad("", OUTCOME_COLUMNS)} ${pad(headingOf(rows), FIGURE_COLUMNS)} message`)]
      : []),
    ...rows.slice(0, MAX_LISTED).flatMap((row) => rowLines(row, layout)),
    ...(rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : []),
  ];
}

function rowLines(row: Row, layout: RowLayout): string[] {
  const { colours, width, detail } = layout;
  const { words, mark } = outcomeOf(row);
  const paint = mark === "✓" ? colours.green : mark === "✗" ? colours.red : colours.yellow;
  const head = `  ${paint(mark)} ${pad(words, OUTCOME_COLUMNS)} ${colours.dim(pad(figureOf(row), FIGURE_COLUMNS))} `;
  const isBeside = width - HEAD_COLUMNS >= MIN_MESSAGE_COLUMNS;
  const indent = isBeside ? HEAD_COLUMNS : NARROW_INDENT;
  const query = stripControl(row.query);
  const room = width - indent;
  const lines =
    detail === "none" ? [truncate(query, room)] : wrap(query, { width: room, maxLines: MAX_QUERY_LINES });
  const indented = lines.map((line) => `${" ".repeat(indent)}${line}`);
  const first = isBeside ? [`${head}${lines[0] ?? ""}`, ...indented.slice(1)] : [head.trimEnd(), ...indented];
  return [...first, ...(detail === "none" ? [] : detailLines(row, layout))];
}

function outcomeOf({ pass, shouldTrigger }: TriggerResult): {
  readonly words: string;
  readonly mark: string;
} {
  if (pass === undefined) return { words: "no answer", mark: "!" };
  if (pass) return { words: shouldTrigger ? "called" : "left alone", mark: "✓" };
  return { words: shouldTrigger ? "missed" : "called wrongly", mark: "✗" };
}

function headingOf([first]: readonly Row[]): string {
  return first !== undefined && "score" in first ? "score #" : "runs";
}

function figureOf(row: Row): string {
  if ("score" in row) return `${figure(row.score)}${row.rank === undefined ? "" : ` #${row.rank}`}`;
  return `${row.triggers}/${row.runs}`;
}

function detailLines(row: Row, { colours, width }: RowLayout): string[] {
  const instead = row.chosenInstead.map(({ name, times }) => (times > 1 ? `${name} (${times} times)` : name));
  const details: readonly (readonly [string, string])[] = [
    ["why", "reasons" in row ? row.reasons.join("; ") : ""],
    [row.shouldTrigger && row.pass === false ? "instead" : "also", instead.join(", ")],
    ["try", row.advice ?? ""],
  ];
  return details
    .filter(([, text]) => text !== "")
    .flatMap(([label, text]) => {
      const lines = wrap(stripControl(text), {
        width: width - NARROW_INDENT - LABEL_COLUMNS - 1,
        maxLines: MAX_DETAIL_LINES,
      });
      return lines.map(
        (line, index) => `    ${colours.dim(pad(index === 0 ? `${label}:` : "", LABEL_COLUMNS))} ${line}`,
      );
    });
}
