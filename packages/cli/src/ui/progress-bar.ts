import type { HubStep } from "@skillet/hub";
import type { Terminal } from "./terminal.ts";
import { formatBytes, stripControl, truncate } from "./text.ts";

/** Fewer skills are scanned before anyone could read the line. */
export const MIN_SCANNED = 10;

interface Place {
  readonly terminal: Terminal;
  readonly json?: boolean;
  /** Where the results go: text lines, a single document, a file, or nowhere yet. */
  readonly beside?: "text" | "json" | "sarif" | "html" | "file";
  readonly least?: number;
}

/** A progress line on standard error; cleared before something is printed or asked. */
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
      // A hundred updates are enough.
      const step = Math.floor((done * 100) / total);
      if (!isRoom(place) || total < least || step === shown) return;
      shown = step;
      const words = `${stripControl(what)}: ${done} of ${total}  ${stripControl(name)}`;
      terminal.status(colours.dim(truncate(words.trimEnd(), width - 1)));
    },
    clear: () => terminal.status(),
  };
}

// A pager or another command may draw on the same terminal, and erasing the line would also erase the
// unfinished last line of a document.
function isRoom({
  terminal: { isTerminal, isErrorTerminal },
  json = false,
  beside = "file",
}: Place): boolean {
  if (!isErrorTerminal || json) return false;
  return beside === "file" || (isTerminal && (beside === "text" || beside === "html"));
}

/** Shows progress if standard error is a terminal and no JSON is printed. */
export function createProgressLine({ terminal, json }: Place): (step: HubStep) => void {
  const { width, colours } = terminal.errors;
  if (!terminal.isErrorTerminal || json) return () => undefined;
  return (step) => {
    const [verb, done] = [WORDS[step.step], amount(step)];
    // A long address must not push the progress out of the line.
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
