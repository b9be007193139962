import type { CommandContext } from "../command-context.ts";
import { truncate } from "../ui/fit-text.ts";
import { stripControl } from "../ui/strip-control.ts";

const CLEAR_LINE = "\r\x1b[K";

/** One line on standard error that counts what is done, where somebody sees it. */
export function createCountLine(
  { terminal, json }: CommandContext,
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
