import type { HubStep } from "@skillet/hub";
import type { Terminal } from "./terminal.ts";
import { formatBytes, stripControl, truncate } from "./text.ts";

/** Fewer skills are scanned before a line about that is read. */
export const MIN_SCANNED = 10;

interface Place {
  readonly terminal: Terminal;
  readonly json?: boolean;
  /** Where the results go: lines of text, a document of one piece, a file, or nowhere yet. */
  readonly beside?: "text" | "json" | "sarif" | "html" | "file";
  readonly least?: number;
}

/** One line on standard error that says how far something is; cleared so that something can be printed or asked. */
export interface CountLine {
  show(done: number, total: number, name?: string): void;
  clear(): void;
}

export function createCountLine(place: Place, what: string): CountLine {
  const { terminal, least = 0 } = place;
  const { width, colours } = terminal.errors;
  let shown = -1;
  return {
    show: (done, total, name = "") => {
      // Updating a hundred times is often enough.
      const step = Math.floor((done * 100) / total);
      if (!isRoom(place) || total < least || step === shown) return;
      shown = step;
      const words = `${stripControl(what)}: ${done} of ${total}  ${stripControl(name)}`;
      terminal.status(colours.dim(truncate(words.trimEnd(), width - 1)));
    },
    clear: () => terminal.status(),
  };
}

// A pager or another command may draw on the terminal that standard error still is; and taking the line away would take
// the unfinished last line of a document along.
function isRoom({
  terminal: { isTerminal, isErrorTerminal },
  json = false,
  beside = "file",
}: Place): boolean {
  if (!isErrorTerminal || json) return false;
  return beside === "file" || (isTerminal && (beside === "text" || beside === "html"));
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
