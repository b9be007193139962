import type { FindingSeverity, Verdict } from "@skillet/scan";
import type { Colours } from "../ui/terminal.ts";

/** The one-column mark of a verdict, in its colour. */
export function verdictMark(verdict: Verdict, colours: Colours): string {
  return verdictPaint(verdict, colours)({ safe: "✓", caution: "!", dangerous: "✗" }[verdict]);
}

/** The colour of a verdict. */
export function verdictPaint(verdict: Verdict, colours: Colours): (text: string) => string {
  return { safe: colours.green, caution: colours.yellow, dangerous: colours.red }[verdict];
}

/** The colour of a severity. */
export function severityPaint(severity: FindingSeverity, colours: Colours): (text: string) => string {
  return { info: colours.cyan, warn: colours.yellow, critical: colours.red }[severity];
}
