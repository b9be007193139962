import type { RuleDescription } from "@skillet/scan";
import { displayWidth } from "../ui/display-width.ts";
import { pad, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { stripControl } from "../ui/strip-control.ts";
import { severityPaint } from "./verdict-mark.ts";

/** Every rule on a line: id, severity of the plain case, title. */
export function ruleList(rules: readonly RuleDescription[], { colours, width }: Layout): string[] {
  const column = rules.reduce((most, { id }) => Math.max(most, displayWidth(stripControl(id))), 0) + 2;
  return rules.flatMap(({ id, severity, title }) => {
    const lines = wrap(stripControl(title), { width: Math.max(20, width - column - 10) });
    return lines.map((line, index) =>
      index === 0
        ? `${colours.bold(pad(stripControl(id), column))}${severityPaint(severity, colours)(pad(severity, 10))}${line}`
        : `${" ".repeat(column + 10)}${line}`,
    );
  });
}
