import type { TimelineEvent } from "@skillet/core";
import { pad, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { showSentence } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { ChildRun, RunTree } from "./read-run-tree.ts";

const NARROW_WIDTH = 60;
const MAX_SUBJECT_LINES = 4;
const MAX_REASON_LINES = 6;
const INDENT = 2;
const MAX_INDENT = 8;

/** What happened in a run, an entry each; what a child did stands indented where it began. */
export function timeline(run: RunTree, layout: Layout): string[] {
  const days = new DayHeadings(layout);
  return runLines(run, { layout, depth: 0, days });
}

interface Place {
  readonly layout: Layout;
  readonly depth: number;
  readonly days: DayHeadings;
}

function runLines(run: RunTree, place: Place): string[] {
  const begun = new Set<string>();
  const indent = " ".repeat(Math.min(MAX_INDENT, place.depth * INDENT));
  const layout = { ...place.layout, width: place.layout.width - indent.length };
  const column = run.events.reduce((most, { what }) => Math.max(most, what.length), 0);
  return run.events.flatMap((event) => {
    const child = begun.has(event.subject ?? "") ? undefined : childOf(run, event);
    if (child !== undefined) begun.add(child.runId);
    return [
      ...place.days.before(event),
      ...eventLines(event, column, layout).map((line) => indent + line),
      ...(child === undefined ? [] : childLines(child, place)),
    ];
  });
}

function childOf(run: RunTree, { what, outcome, subject }: TimelineEvent): ChildRun | undefined {
  if (what !== "fork" || outcome !== "done") return undefined;
  return run.children.find(({ runId }) => runId === subject);
}

function childLines({ run }: ChildRun, { layout, depth, days }: Place): string[] {
  const indent = " ".repeat(Math.min(MAX_INDENT, (depth + 1) * INDENT));
  if (run === undefined) return [`${indent}${layout.colours.dim("its records are not here")}`];
  return runLines(run, { layout, depth: depth + 1, days });
}

function eventLines(event: TimelineEvent, column: number, layout: Layout): string[] {
  const { colours, width } = layout;
  const title = `${colours.dim(clockTime(event))}  ${markOf(event, layout)} `;
  const isNarrow = width < NARROW_WIDTH;
  const left = isNarrow ? 4 : CLOCK_COLUMNS + 4 + column + 2;
  const subject = wrap(subjectOf(event), { width: width - left, maxLines: MAX_SUBJECT_LINES });
  const reason = wrap(reasonOf(event, layout), { width: width - left, maxLines: MAX_REASON_LINES });
  const details = [...subject, ...reason.map((line) => paintReason(event, layout)(line))];
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
  if (outcome === "done") return colours.green("✓");
  if (outcome === "already-loaded") return colours.dim("○");
  if (outcome === "asked") return colours.yellow("?");
  return outcome === "refused" ? colours.red("✗") : colours.yellow("!");
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

function paintReason({ outcome }: TimelineEvent, { colours }: Layout): (text: string) => string {
  return outcome === "refused" || outcome === "failed" ? colours.yellow : colours.dim;
}

/** Names the day where it is another than that of the entry before. */
class DayHeadings {
  readonly #layout: Layout;
  #day: string | undefined;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  before({ time }: TimelineEvent): string[] {
    const [day] = /^\d{4}-\d{2}-\d{2}(?=T)/.exec(time) ?? [];
    if (day === undefined || day === this.#day) return [];
    const gap = this.#day === undefined ? [] : [""];
    this.#day = day;
    return [...gap, this.#layout.colours.bold(`${day} (UTC)`)];
  }
}
