import type { HubStep } from "@skillet/hub";
import type { Terminal } from "./terminal.ts";
import { formatBytes, stripControl, truncate } from "./text.ts";

// Drawing takes longer than scanning a skill; drawing more often is not visible.
const INTERVAL_MS = 80;
const MIN_SKILLS = 10;
const BAR_COLUMNS = 16;

/** One line on standard error that shows progress; cleared so that something can be printed or asked. */
interface StatusLine<Progress extends readonly unknown[]> {
  show(...progress: Progress): void;
  clear(): void;
}

/** Draws a line on a terminal, and nothing elsewhere. */
function createStatusLine<Progress extends readonly unknown[]>(
  { status }: Terminal,
  isSeen: boolean,
  /** Undefined where it is too early for another one. */
  lineOf: (...progress: Progress) => string | undefined,
): StatusLine<Progress> {
  return {
    show: (...progress) => {
      const line = isSeen ? lineOf(...progress) : undefined;
      if (line !== undefined) status(line);
    },
    clear: () => status(),
  };
}

export type ProgressBar = StatusLine<[{ readonly done: number; readonly name: string }]>;

export interface BarOptions {
  /** Why it takes time, such as `before they are shown`; a scan that was asked for needs no reason. */
  readonly why?: string;
  /** Where the results go: lines of text, a document of one piece, a file, or nowhere yet. */
  readonly beside?: "text" | "json" | "sarif" | "html" | "file";
  readonly now?: () => number;
}

/** How many skills were scanned, on standard error, if that is a terminal; elsewhere, and for a few skills, nothing. */
export function createProgressBar(terminal: Terminal, total: number, options: BarOptions = {}): ProgressBar {
  const { why = "", beside = "file", now = () => performance.now() } = options;
  const { width, colours } = terminal.errors;
  const number = (value: number): string => value.toLocaleString("en");
  let last = Number.NEGATIVE_INFINITY;
  return createStatusLine(terminal, isRoom(terminal, beside) && total >= MIN_SKILLS, ({ done, name }) => {
    if (now() - last < INTERVAL_MS) return undefined;
    last = now();
    const words = `Scanning ${number(done)} of ${number(total)} skills ${why}`.trimEnd();
    const room = Math.min(width, 200) - words.length - 2;
    if (room < BAR_COLUMNS) return truncate(words, width - 1);
    const filled = Math.round((BAR_COLUMNS * done) / total);
    const bar = "█".repeat(filled) + colours.dim("░".repeat(BAR_COLUMNS - filled));
    return `${words} ${bar} ${colours.dim(truncate(stripControl(name), room - BAR_COLUMNS - 1))}`.trimEnd();
  });
}

// A pager or another command may draw on the terminal that standard error still is; and taking the bar away would take
// the unfinished last line of a document along.
function isRoom(
  { isTerminal, isErrorTerminal }: Terminal,
  beside: NonNullable<BarOptions["beside"]>,
): boolean {
  if (!isErrorTerminal) return false;
  return beside === "file" || (isTerminal && (beside === "text" || beside === "html"));
}

interface Place {
  readonly terminal: Terminal;
  readonly json: boolean;
}

export function createCountLine(
  { terminal, json }: Place,
  what: string,
): StatusLine<[done: number, total: number]> {
  const { width, colours } = terminal.errors;
  let shown = -1;
  return createStatusLine(terminal, terminal.isErrorTerminal && !json, (done, total) => {
    // Updating a hundred times is often enough.
    const step = Math.floor((done * 100) / total);
    if (step === shown) return undefined;
    shown = step;
    return colours.dim(truncate(`${stripControl(what)}: ${done} of ${total}`, width - 1));
  });
}

/** A line on standard error, if that is a terminal; elsewhere, and beside a document, nothing. */
export function createProgressLine({ terminal, json }: Place): (step: HubStep) => void {
  const { width, colours } = terminal.errors;
  if (!terminal.isErrorTerminal || json) return () => undefined;
  return (step) => {
    const [verb, done] = [WORDS[step.step], amount(step)];
    // A long address must not push out how far it is.
    const room = Math.max(0, width - 1 - `${verb} ${done}`.length);
    const what = truncate(stripControl(step.what), room);
    terminal.status(colours.dim(truncate(`${verb} ${what}${done}`, width - 1)));
  };
}

const WORDS: Readonly<Record<HubStep["step"], string>> = {
  resolve: "Resolving",
  fetch: "Fetching",
  unpack: "Unpacking",
  read: "Reading",
  validate: "Checking",
  scan: "Scanning",
  decide: "Deciding about",
  place: "Placing:",
};

function amount(step: HubStep): string {
  if (!("doneBytes" in step) || step.doneBytes === undefined) return "";
  const total = step.totalBytes === undefined ? "" : ` of ${formatBytes(step.totalBytes)}`;
  return ` (${formatBytes(step.doneBytes)}${total})`;
}
