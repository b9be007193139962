import type { HubStep } from "@skillet/hub";
import { truncate } from "./fit-text.ts";
import { formatBytes } from "./show-path.ts";
import { stripControl } from "./strip-control.ts";
import type { Terminal } from "./terminal.ts";

/** How far a scan of many skills is. */
export interface ProgressBar {
  /** Takes the bar away, so that a line can be printed. */
  clear(): void;
  show(progress: { readonly done: number; readonly name: string }): void;
}

// Drawing takes longer than scanning a skill; more often than this nobody sees.
const INTERVAL_MS = 80;
const MIN_SKILLS = 10;
const BAR_COLUMNS = 24;
const CLEAR_LINE = "\r\x1b[K";

/** What else is written while the bar stands. */
export interface BarOptions {
  /** Where the results go: lines of text, a document of one piece, a file, or nowhere yet. */
  readonly beside?: "text" | "json" | "sarif" | "html" | "file";
  readonly now?: () => number;
}

/** A bar on standard error, where somebody sees it; elsewhere, and over a few skills, nothing. */
export function createProgressBar(terminal: Terminal, total: number, options: BarOptions = {}): ProgressBar {
  const { beside = "file", now = () => performance.now() } = options;
  if (!isRoom(terminal, beside) || total < MIN_SKILLS)
    return { clear: () => undefined, show: () => undefined };
  const { errorColours } = terminal;
  let last = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    clear: () => {
      if (isShown) terminal.warnRaw(CLEAR_LINE);
      isShown = false;
    },
    show: ({ done, name }) => {
      if (now() - last < INTERVAL_MS) return;
      last = now();
      const filled = Math.round((BAR_COLUMNS * done) / total);
      const bar = "█".repeat(filled) + errorColours.dim("░".repeat(BAR_COLUMNS - filled));
      const numbers = `${done}/${total}`;
      const room = Math.max(0, Math.min(terminal.errorLineWidth, 200) - BAR_COLUMNS - numbers.length - 4);
      const current = truncate(stripControl(name), Math.max(0, room - 1));
      terminal.warnRaw(`${CLEAR_LINE}${bar} ${numbers} ${errorColours.dim(current)}`);
      isShown = true;
    },
  };
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

/** One line on standard error that counts what is done, where somebody sees it. */
export function createCountLine(
  { terminal, json }: { readonly terminal: Terminal; readonly json: boolean },
  what: string,
): { readonly show: (done: number, total: number) => void; readonly clear: () => void } {
  if (!terminal.isErrorTerminal || json) return { show: () => undefined, clear: () => undefined };
  let shown = -1;
  return {
    show: (done, total) => {
      // A hundred times is as often as anybody looks.
      const step = Math.floor((done * 100) / total);
      if (step === shown) return;
      shown = step;
      const line = truncate(`${stripControl(what)}: ${done} of ${total}`, terminal.errorLineWidth - 1);
      terminal.warnRaw(`${CLEAR_LINE}${terminal.errorColours.dim(line)}`);
    },
    clear: () => {
      if (shown >= 0) terminal.warnRaw(CLEAR_LINE);
      shown = -1;
    },
  };
}

/** One line that says what is going on. */
export interface ProgressLine {
  show(step: HubStep): void;
  /** Takes the line away, so that something can be printed or asked. */
  clear(): void;
}

/** A line on standard error, where somebody sees it; elsewhere, and beside a document, nothing. */
export function createProgressLine(
  { isErrorTerminal, errorLineWidth, errorColours, warnRaw }: Terminal,
  { json }: { readonly json: boolean },
): ProgressLine {
  if (!isErrorTerminal || json) return { show: () => undefined, clear: () => undefined };
  let shown = "";
  return {
    show: (step) => {
      const [verb, done] = [WORDS[step.step], amount(step)];
      // A long address must not push out how far it is.
      const room = Math.max(0, errorLineWidth - 1 - `${verb} ${done}`.length);
      const line = truncate(`${verb} ${truncate(stripControl(step.what), room)}${done}`, errorLineWidth - 1);
      if (line === shown) return;
      shown = line;
      warnRaw(`${CLEAR_LINE}${errorColours.dim(line)}`);
    },
    clear: () => {
      if (shown !== "") warnRaw(CLEAR_LINE);
      shown = "";
    },
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
