import type { HubStep } from "@skillet/hub";
import { truncate } from "../ui/fit-text.ts";
import { formatBytes } from "../ui/format-quantity.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Terminal } from "../ui/terminal.ts";

/** One line that says what is going on. */
export interface ProgressLine {
  show(step: HubStep): void;
  /** Takes the line away, so that something can be printed or asked. */
  clear(): void;
}

const CLEAR_LINE = "\r\x1b[K";

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
