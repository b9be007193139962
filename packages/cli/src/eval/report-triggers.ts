import type {
  ModelEvaluation,
  ModelResult,
  SelectorResult,
  TriggerEvaluation,
  TriggerResult,
} from "@skillet/author";
import type { Skill } from "@skillet/core";
import type { LearnedReading } from "@skillet/core/internal";
import type { CommandContext, Flags, Numbers } from "../context/command-context.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  count,
  firstLines,
  hang,
  moreInJson,
  pad,
  showPath,
  spacedBlocks,
  stripControl,
  wrap,
} from "../ui/text.ts";
import type { ReadTriggerSets } from "./read-trigger-sets.ts";

interface TriggerReport {
  readonly skill: Skill;
  readonly others: readonly Skill[];
  readonly sets: ReadTriggerSets;
  readonly selected: TriggerEvaluation<SelectorResult> | undefined;
  readonly modelled: ModelEvaluation | undefined;
  readonly learned: LearnedReading | undefined;
  readonly options: Flags<"untaught" | "verbose"> & {
    readonly at?: "activate" | "suggest";
  };
}

export function reportTriggers(context: CommandContext, report: TriggerReport): readonly string[] {
  const { terminal } = context;
  const { errors } = terminal;
  const { skill, sets, selected, modelled, options } = report;
  const layout = { ...terminal, verbose: options.verbose === true };
  warnDiagnostics(context, [...sets.diagnostics, ...(report.learned?.diagnostics ?? [])]);
  if (!skill.manifest.invocation.model) {
    const text = `${skill.qualifiedName} does not let models invoke it, so it is never activated by itself.`;
    terminal.warn(hang(text, errors, { paint: errors.colours.yellow }));
  }
  return spacedBlocks([
    selected === undefined
      ? []
      : [...hang(selectorTitle(report, terminal), terminal), ...triggerTable(selected, layout)],
    modelled === undefined
      ? []
      : [
          ...hang(`${skill.qualifiedName} by ${modelled.by}, ${company(report)}:`, terminal),
          ...triggerTable(modelled, layout),
          "",
          ...hang(costs(modelled), terminal, { paint: terminal.colours.dim }),
        ],
  ]);
}

export function isTaught(learned: LearnedReading | undefined): learned is LearnedReading {
  return learned !== undefined && learned.learned.skills.size > 0;
}

function selectorTitle(report: TriggerReport, { environment }: Layout): string {
  const { skill, options, learned } = report;
  const called = options.at === "activate" ? "activated" : "suggested or activated";
  const taught = isTaught(learned) ? `, taught by ${showPath(learned.file, environment)}` : "";
  const how = options.untaught === true ? ", untaught" : taught;
  return `${skill.qualifiedName} by the selector, ${company(report)}${how}; called means ${called}:`;
}

function company({ skill, others }: TriggerReport): string {
  const offered = others.filter(
    ({ state, kind, path }) => state === "enabled" && kind === "skill" && path !== skill.path,
  );
  return offered.length === 0 ? "alone" : `among ${count(offered.length, "other skill")}`;
}

function costs({ usage, failedRuns }: ModelEvaluation): string {
  const tokens = `${usage.promptTokens + usage.completionTokens} tokens as reported by the endpoint (${usage.promptTokens} in, ${usage.completionTokens} out)`;
  const parts = [
    usage.withoutUsage === usage.answers ? "The endpoint reported no token counts" : tokens,
    ...(usage.withoutUsage > 0 && usage.withoutUsage < usage.answers
      ? [`${usage.withoutUsage} of ${count(usage.answers, "answer")} reported none`]
      : []),
    ...(failedRuns > 0 ? [`${count(failedRuns, "run")} failed and did not count`] : []),
  ];
  return `${parts.join("; ")}.`;
}

/** Each bound applies to every evaluation. */
export type TriggerBounds = Numbers<"minPrecision" | "minRecall" | "minF1">;

interface MissedBound {
  readonly by: string;
  readonly figure: "precision" | "recall" | "f1";
  /** Null if nothing was measured. */
  readonly value: number | null;
  readonly bound: number;
  readonly unmeasured: number;
}

/** Returns the bounds that an evaluation may miss; one unmeasured message is enough for that. */
export function missedBounds(
  evaluation: TriggerEvaluation<SelectorResult> | ModelEvaluation,
  { minPrecision, minRecall, minF1 }: TriggerBounds,
): readonly MissedBound[] {
  const { metrics, summary } = evaluation;
  const by = "by" in evaluation ? evaluation.by : "selector";
  const bounds = [
    { figure: "precision", value: metrics.precision, bound: minPrecision },
    { figure: "recall", value: metrics.recall, bound: minRecall },
    { figure: "f1", value: metrics.f1, bound: minF1 },
  ] as const;
  const { unmeasured } = summary;
  return bounds.flatMap(({ figure, value = null, bound }) =>
    bound !== undefined && (value === null || value < bound || unmeasured > 0)
      ? [{ by, figure, value, bound, unmeasured }]
      : [],
  );
}

export function warnMissedBounds({ terminal, json }: CommandContext, missed: readonly MissedBound[]): void {
  const { errors } = terminal;
  for (const bound of json ? [] : missed)
    terminal.warn(hang(missedBoundWords(bound), errors, { paint: errors.colours.red }));
}

export function missedBoundWords({ by, figure, value, bound, unmeasured }: MissedBound): string {
  const name = `${stripControl(by)}: ${figure === "f1" ? "F1" : figure}`;
  if (value === null) return `${name} was not measured, so it is not known to reach ${bound}`;
  if (value < bound) return `${name} is ${showFigure(value)}, below ${bound}`;
  const were = unmeasured === 1 ? "was" : "were";
  return `${name} is not known to reach ${bound}: ${count(unmeasured, "message")} ${were} not measured`;
}

// A set may contain thousands; `--json` lists them all.
const MAX_LISTED = 100;
const MAX_LINES = 3;
const MAX_FAILURES = 5;
const LABEL_COLUMNS = 9;

export function triggerTable(
  { results, summary, metrics }: TriggerEvaluation<SelectorResult> | TriggerEvaluation<ModelResult>,
  layout: Layout & { readonly verbose: boolean },
): string[] {
  const { precision, recall, f1, accuracy } = metrics;
  const figures = Object.entries({ precision, recall, F1: f1, accuracy }).map(
    ([name, value]) => `${name} ${showFigure(value)}`,
  );
  const unmeasured = summary.unmeasured > 0 ? `, ${summary.unmeasured} not measured` : "";
  const passed = `${summary.passed} of ${count(summary.total, "message")} passed${unmeasured}`;
  const withPass = (wanted: boolean | undefined): readonly Row[] =>
    results.filter(({ pass }) => pass === wanted);
  return spacedBlocks([
    [
      ...wrap(figures.join("  "), layout).map((line) => layout.colours.bold(line)),
      ...wrap(passed, layout),
      ...failureLines(results, layout),
    ],
    section("Failing", withPass(false), { ...layout, verbose: true }),
    section("Not measured", withPass(undefined), { ...layout, verbose: true }),
    section("Passing", withPass(true), layout),
  ]);
}

/** Lists why runs failed, each reason once: a server that is down gives the same reason a hundred times. */
function failureLines(results: readonly Row[], layout: Layout): string[] {
  const { dim, yellow } = layout.colours;
  const times = new Map<string, number>();
  for (const row of results)
    for (const { message } of "failures" in row ? row.failures : [])
      times.set(message, (times.get(message) ?? 0) + 1);
  return firstLines(
    [...times].sort(([, left], [, right]) => right - left),
    MAX_FAILURES,
    ([message, number]) =>
      hang(`${count(number, "run")} failed: ${message}`, layout, {
        indent: 2,
        lead: `${yellow("!")} `,
        maxLines: MAX_LINES,
      }),
    (rest) => dim(`  and for ${count(rest, "other reason")}: --json lists all`),
  );
}

/** Two digits; 0.996 is not shown as 1. */
export function showFigure(value: number | undefined): string {
  if (value === undefined) return "–";
  return (value < 1 ? Math.min(value, 0.99) : value).toFixed(2);
}

type Row = SelectorResult | ModelResult;
type RowLayout = Layout & { readonly verbose: boolean };

function section(title: string, rows: readonly Row[], layout: RowLayout): string[] {
  if (rows.length === 0) return [];
  const { bold, dim } = layout.colours;
  return [
    `${bold(title)} ${dim(String(rows.length))}`,
    ...firstLines(rows, MAX_LISTED, (row) => rowLines(row, layout), moreInJson(layout)),
  ];
}

function rowLines(row: Row, layout: RowLayout): string[] {
  const { colours, verbose } = layout;
  const [words, mark] = outcomeOf(row);
  const paint = mark === "✓" ? colours.green : mark === "✗" ? colours.red : colours.yellow;
  const how = { indent: 4, lead: `  ${paint(mark)} `, maxLines: verbose ? MAX_LINES : 1 };
  return [
    ...hang(`${words} (${figureOf(row)}): ${row.query}`, layout, how),
    ...(verbose ? detailLines(row, layout) : []),
  ];
}

function outcomeOf({ pass, shouldTrigger }: TriggerResult): readonly [words: string, mark: string] {
  if (pass === undefined) return ["no answer", "!"];
  if (pass) return [shouldTrigger ? "called" : "left alone", "✓"];
  return [shouldTrigger ? "missed" : "called wrongly", "✗"];
}

function figureOf(row: Row): string {
  if (!("score" in row)) return `${row.triggers} of ${count(row.runs, "run")}`;
  return `score ${showFigure(row.score)}${row.rank === undefined ? "" : `, #${row.rank}`}`;
}

function detailLines(row: Row, layout: RowLayout): string[] {
  const { dim } = layout.colours;
  const instead = row.chosenInstead.map(({ name, times }) => (times > 1 ? `${name} (${times} times)` : name));
  const details = [
    ["why", "reasons" in row ? row.reasons.join("; ") : ""],
    [row.shouldTrigger && row.pass === false ? "instead" : "also", instead.join(", ")],
    ["try", row.advice ?? ""],
  ] as const;
  return details.flatMap(([label, text]) =>
    hang(text, layout, {
      indent: LABEL_COLUMNS + 5,
      lead: `    ${dim(pad(`${label}:`, LABEL_COLUMNS))} `,
      maxLines: MAX_LINES,
    }),
  );
}
