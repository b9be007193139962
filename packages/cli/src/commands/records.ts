import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type RunSummary, suggestNames, summariseRun, type TimelineEvent } from "@skillet/core/internal";
import { type SkilletError, undefinedOn } from "@skillet/kit/errors";
import { onSkilletError, refusalError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { diagnosticSection } from "../ui/diagnostic-report.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, hang, pad, showSentence, spacedBlocks, stripControl, wrap } from "../ui/text.ts";

export async function records(context: CommandContext, options: { readonly run: string }): Promise<ExitCode> {
  const { terminal } = context;
  const runFolder = resolve(context.workspace, options.run);
  const run = await readRun(runFolder, { depth: 0, left: { runs: MAX_RUNS } }).catch(
    onSkilletError((error) => suggestRuns(runFolder, error), "run-not-found"),
  );
  const runs = allRuns(run);
  const diagnostics = runs.flatMap((one) => one.diagnostics);
  const screen = (): readonly string[] =>
    spacedBlocks([
      timeline(run, terminal),
      diagnosticSection(diagnostics, { ...terminal, texts: new Map() }),
      hang(summary(runs), terminal),
    ]);
  const isBroken = diagnostics.some(({ severity }) => severity === "error");
  return answer(context, toDocument(run), screen, isBroken ? 1 : 0);
}

async function suggestRuns(runFolder: string, { code, message, data }: SkilletError): Promise<never> {
  const name = basename(runFolder);
  const entries = await readdir(dirname(runFolder), { withFileTypes: true }).catch(
    undefinedOn("ENOENT", "ENOTDIR", "EACCES"),
  );
  const folders = (entries ?? []).filter((entry) => entry.isDirectory() && entry.name !== name);
  const names = folders.map((folder) => folder.name);
  const suggestions = suggestNames(name, names);
  const hints = suggestions.length > 0 ? [`Did you mean ${suggestions.join(" or ")}?`] : [];
  throw refusalError(code, message, { ...data, suggestions }, hints);
}

function allRuns(run: RunTree): readonly RunTree[] {
  return [run, ...run.children.flatMap((child) => (child.run === undefined ? [] : allRuns(child.run)))];
}

function toDocument({ runFolder, events, diagnostics, children }: RunTree): Record<string, unknown> {
  const rows = children.map(({ runId, run }) => ({ runId, run: run && toDocument(run) }));
  return { runFolder, events, diagnostics, children: rows };
}

function summary(runs: readonly RunTree[]): string {
  const events = runs.flatMap((one) => one.events);
  const forks = runs.reduce((sum, { children }) => sum + children.length, 0);
  const counted = (["asked", "refused", "failed"] as const).flatMap((wanted) => {
    const number = events.filter(({ outcome }) => outcome === wanted).length;
    return number > 0 ? [`${number} ${wanted}`] : [];
  });
  return [count(events.length, "record"), ...counted, ...(forks > 0 ? [count(forks, "fork")] : [])].join(
    ", ",
  );
}

export interface RunTree extends RunSummary {
  /** In the order they began; `run` is absent if the child's records are not below the parent's. */
  readonly children: readonly { readonly runId: string; readonly run?: RunTree }[];
}

// Journals are untrusted input, and a link can make a run its own child.
const MAX_DEPTH = 8;
const MAX_RUNS = 1_000;

interface Bounds {
  readonly depth: number;
  readonly left: { runs: number };
}

async function readRun(runFolder: string, bounds: Bounds): Promise<RunTree> {
  const read = await summariseRun(runFolder);
  const forked = read.events.flatMap(({ what, outcome, subject }) =>
    what === "fork" && outcome === "done" && subject !== undefined ? [subject] : [],
  );
  const children: RunTree["children"][number][] = [];
  for (const runId of new Set(forked)) {
    const run = await readChild(runFolder, runId, bounds);
    children.push({ runId, ...(run && { run }) });
  }
  return { ...read, children };
}

async function readChild(
  runFolder: string,
  runId: string,
  { depth, left }: Bounds,
): Promise<RunTree | undefined> {
  // The id comes from the journal and must not lead to another folder.
  const isName = basename(runId) === runId && ![".", ".."].includes(runId) && !runId.includes("\0");
  if (!isName || depth >= MAX_DEPTH || left.runs <= 0) return undefined;
  left.runs -= 1;
  const reading = readRun(join(runFolder, "children", runId), { depth: depth + 1, left });
  return reading.catch(onSkilletError(() => undefined, "run-not-found"));
}

const NARROW_WIDTH = 60;
const MAX_SUBJECT_LINES = 4;
const MAX_REASON_LINES = 6;
const INDENT = 2;
const MAX_INDENT = 8;
const CLOCK_COLUMNS = 8;

export function timeline(run: RunTree, layout: Layout): string[] {
  return runLines(run, layout, { depth: 0, last: { day: undefined } });
}

function runLines(
  { events, children }: RunTree,
  layout: Layout,
  /** The day of the previous entry of any run. */
  { depth, last }: { readonly depth: number; readonly last: { day: string | undefined } },
): string[] {
  const begun = new Set<string>();
  const indentOf = (level: number): string => " ".repeat(Math.min(MAX_INDENT, level * INDENT));
  const indent = indentOf(depth);
  const inner = { ...layout, width: layout.width - indent.length };
  const column = events.reduce((most, { what }) => Math.max(most, what.length), 0);
  return events.flatMap((event) => {
    const { time, what, outcome, subject = "" } = event;
    const lines: string[] = [];
    const [day] = /^\d{4}-\d{2}-\d{2}(?=T)/.exec(time) ?? [];
    if (day !== undefined && day !== last.day) {
      if (last.day !== undefined) lines.push("");
      lines.push(layout.colours.bold(`${day} (UTC)`));
      last.day = day;
    }
    lines.push(...eventLines(event, column, inner).map((line) => indent + line));
    const isFork = what === "fork" && outcome === "done" && !begun.has(subject);
    const child = isFork ? children.find(({ runId }) => runId === subject) : undefined;
    if (child === undefined) return lines;
    begun.add(child.runId);
    if (child.run !== undefined)
      return [...lines, ...runLines(child.run, layout, { depth: depth + 1, last })];
    return [...lines, `${indentOf(depth + 1)}${layout.colours.dim("its records are not here")}`];
  });
}

function eventLines(event: TimelineEvent, column: number, layout: Layout): string[] {
  const { colours, width } = layout;
  const { what, outcome, skill = "", subject = "" } = event;
  const marks: Partial<Record<TimelineEvent["outcome"], string>> = {
    done: colours.green("✓"),
    "already-loaded": colours.dim("○"),
    asked: colours.yellow("?"),
    refused: colours.red("✗"),
  };
  const title = `${colours.dim(clockTime(event))}  ${marks[outcome] ?? colours.yellow("!")} `;
  const isNarrow = width < NARROW_WIDTH;
  const left = isNarrow ? 4 : CLOCK_COLUMNS + 4 + column + 2;
  const named = [skill, subject].map(stripControl).filter((part) => part !== "");
  const paint = outcome === "refused" || outcome === "failed" ? colours.yellow : colours.dim;
  const details = [
    ...wrap(named.join("  "), { width: width - left, maxLines: MAX_SUBJECT_LINES }),
    ...wrap(reasonOf(event, layout), { width: width - left, maxLines: MAX_REASON_LINES }).map((line) =>
      paint(line),
    ),
  ];
  const [first = "", ...rest] = details;
  const margin = " ".repeat(left);
  if (isNarrow) return [title + colours.bold(what), ...details.map((line) => margin + line)];
  return [
    `${title}${colours.bold(pad(what, column))}  ${first}`.trimEnd(),
    ...rest.map((line) => margin + line),
  ];
}

// Times come from the journal; anything that is not a time is shown as it is, cut to the column.
function clockTime({ time }: TimelineEvent): string {
  const [, clock] = /^\d{4}-\d{2}-\d{2}T(\d{2}:\d{2}:\d{2})/.exec(time) ?? [];
  return clock ?? pad(stripControl(time).slice(0, CLOCK_COLUMNS), CLOCK_COLUMNS);
}

function reasonOf({ outcome, reason = "" }: TimelineEvent, { environment }: Layout): string {
  const shown = showSentence(reason, environment);
  if (outcome === "done") return shown;
  const word = outcome === "already-loaded" ? "already loaded" : outcome;
  return shown === "" ? word : `${word}: ${shown}`;
}
