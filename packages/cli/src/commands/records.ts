import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type RunSummary, suggestNames, summariseRun, type TimelineEvent } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { diagnosticSection } from "../ui/diagnostic-report.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, hang, pad, showSentence, stripControl, wrap } from "../ui/text.ts";

export async function records(context: CommandContext, options: { readonly run: string }): Promise<ExitCode> {
  const run = await readOrRefuse(resolve(context.workspace, options.run));
  const diagnostics = allRuns(run).flatMap((one) => one.diagnostics);
  const { terminal } = context;
  const faults = diagnosticSection(diagnostics, { ...terminal, texts: new Map() });
  return answer(
    context,
    toDocument(run),
    () => [
      ...timeline(run, terminal),
      ...(faults.length > 0 ? ["", ...faults] : []),
      "",
      ...hang(summary(run), terminal),
    ],
    diagnostics.some(({ severity }) => severity === "error") ? 1 : 0,
  );
}

async function readOrRefuse(runFolder: string): Promise<RunTree> {
  try {
    return await readRun(runFolder, { depth: 0, left: { runs: MAX_RUNS } });
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "run-not-found") throw error;
    const near = suggestNames(basename(runFolder), await namesBeside(runFolder));
    throw new CliError(error.code, error.message, {
      exitCode: 1,
      hints: near.length > 0 ? [`Did you mean ${near.join(" or ")}?`] : [],
      details: { ...error.data, suggestions: near },
    });
  }
}

async function namesBeside(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(dirname(path), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && entry.name !== basename(path))
      .map(({ name }) => name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw error;
  }
}

function allRuns(run: RunTree): readonly RunTree[] {
  return [run, ...run.children.flatMap((child) => (child.run === undefined ? [] : allRuns(child.run)))];
}

function toDocument(run: RunTree): Record<string, unknown> {
  const { runFolder, events, diagnostics, children } = run;
  return {
    runFolder,
    events,
    diagnostics,
    children: children.map(({ runId, run: child }) => ({ runId, ...(child && { run: toDocument(child) }) })),
  };
}

function summary(run: RunTree): string {
  const runs = allRuns(run);
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
  /** By run id, in the order they began. */
  readonly children: readonly ChildRun[];
}

/** A forked run; `run` is absent where its records are not below the parent's. */
interface ChildRun {
  readonly runId: string;
  readonly run?: RunTree;
}

// Journals are outside input, and a link can make a run its own child.
const MAX_DEPTH = 8;
const MAX_RUNS = 1_000;

interface Bounds {
  readonly depth: number;
  readonly left: { runs: number };
}

async function readRun(runFolder: string, bounds: Bounds): Promise<RunTree> {
  const summary = await summariseRun(runFolder);
  const forked = summary.events.flatMap(({ what, outcome, subject }) =>
    what === "fork" && outcome === "done" && subject !== undefined ? [subject] : [],
  );
  const children: ChildRun[] = [];
  for (const runId of new Set(forked)) {
    const run = await readChild(runFolder, runId, bounds);
    children.push({ runId, ...(run !== undefined && { run }) });
  }
  return { ...summary, children };
}

async function readChild(
  runFolder: string,
  runId: string,
  { depth, left }: Bounds,
): Promise<RunTree | undefined> {
  // The id comes from the journal and must not lead elsewhere.
  const isName = basename(runId) === runId && ![".", ".."].includes(runId) && !runId.includes("\0");
  if (!isName || depth >= MAX_DEPTH || left.runs <= 0) return undefined;
  left.runs -= 1;
  try {
    return await readRun(join(runFolder, "children", runId), { depth: depth + 1, left });
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "run-not-found") return undefined;
    throw error;
  }
}

const NARROW_WIDTH = 60;
const MAX_SUBJECT_LINES = 4;
const MAX_REASON_LINES = 6;
const INDENT = 2;
const MAX_INDENT = 8;

/** What happened in a run, an entry each; what a child did stands indented where it began. */
export function timeline(run: RunTree, layout: Layout): string[] {
  return runLines(run, { layout, depth: 0, last: { day: undefined } });
}

interface Place {
  readonly layout: Layout;
  readonly depth: number;
  /** The day of the entry before, of whichever run. */
  readonly last: { day: string | undefined };
}

function runLines(run: RunTree, place: Place): string[] {
  const begun = new Set<string>();
  const indent = indentOf(place.depth);
  const layout = { ...place.layout, width: place.layout.width - indent.length };
  const column = run.events.reduce((most, { what }) => Math.max(most, what.length), 0);
  return run.events.flatMap((event) => {
    const child = begun.has(event.subject ?? "") ? undefined : childOf(run, event);
    if (child !== undefined) begun.add(child.runId);
    return [
      ...dayHeading(event, place),
      ...eventLines(event, column, layout).map((line) => indent + line),
      ...(child === undefined ? [] : childLines(child, place)),
    ];
  });
}

function indentOf(depth: number): string {
  return " ".repeat(Math.min(MAX_INDENT, depth * INDENT));
}

/** Names the day where it is another than that of the entry before. */
function dayHeading({ time }: TimelineEvent, { last, layout }: Place): string[] {
  const [day] = /^\d{4}-\d{2}-\d{2}(?=T)/.exec(time) ?? [];
  if (day === undefined || day === last.day) return [];
  const gap = last.day === undefined ? [] : [""];
  last.day = day;
  return [...gap, layout.colours.bold(`${day} (UTC)`)];
}

function childOf(run: RunTree, { what, outcome, subject }: TimelineEvent): ChildRun | undefined {
  if (what !== "fork" || outcome !== "done") return undefined;
  return run.children.find(({ runId }) => runId === subject);
}

function childLines({ run }: ChildRun, { layout, depth, last }: Place): string[] {
  if (run === undefined) return [`${indentOf(depth + 1)}${layout.colours.dim("its records are not here")}`];
  return runLines(run, { layout, depth: depth + 1, last });
}

function eventLines(event: TimelineEvent, column: number, layout: Layout): string[] {
  const { colours, width } = layout;
  const title = `${colours.dim(clockTime(event))}  ${markOf(event, layout)} `;
  const isNarrow = width < NARROW_WIDTH;
  const left = isNarrow ? 4 : CLOCK_COLUMNS + 4 + column + 2;
  const subject = wrap(subjectOf(event), { width: width - left, maxLines: MAX_SUBJECT_LINES });
  const reason = wrap(reasonOf(event, layout), { width: width - left, maxLines: MAX_REASON_LINES });
  const isNo = event.outcome === "refused" || event.outcome === "failed";
  const details = [...subject, ...reason.map((line) => (isNo ? colours.yellow(line) : colours.dim(line)))];
  const [first = "", ...rest] = details;
  if (isNarrow) return [title + colours.bold(event.what), ...details.map((line) => " ".repeat(left) + line)];
  return [
    `${title}${colours.bold(pad(event.what, column))}  ${first}`.trimEnd(),
    ...rest.map((line) => " ".repeat(left) + line),
  ];
}

const CLOCK_COLUMNS = 8;

// Times come from the journal: what is no time is shown as it is, cut to the column.
function clockTime({ time }: TimelineEvent): string {
  const [, clock] = /^\d{4}-\d{2}-\d{2}T(\d{2}:\d{2}:\d{2})/.exec(time) ?? [];
  return clock ?? pad(stripControl(time).slice(0, CLOCK_COLUMNS), CLOCK_COLUMNS);
}

function markOf({ outcome }: TimelineEvent, { colours }: Layout): string {
  const marks: Partial<Record<TimelineEvent["outcome"], string>> = {
    done: colours.green("✓"),
    "already-loaded": colours.dim("○"),
    asked: colours.yellow("?"),
    refused: colours.red("✗"),
  };
  return marks[outcome] ?? colours.yellow("!");
}

function subjectOf({ skill = "", subject = "" }: TimelineEvent): string {
  return [skill, subject]
    .map(stripControl)
    .filter((part) => part !== "")
    .join("  ");
}

function reasonOf({ outcome, reason = "" }: TimelineEvent, { environment }: Layout): string {
  const shown = showSentence(reason, environment);
  if (outcome === "done") return shown;
  const word = outcome === "already-loaded" ? "already loaded" : outcome;
  return shown === "" ? word : `${word}: ${shown}`;
}
