import { truncate } from "../ui/fit-text.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Terminal } from "../ui/terminal.ts";

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
