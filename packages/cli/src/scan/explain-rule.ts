import { suggestNames } from "@skillet/core";
import { owaspTitle, type RuleDescription } from "@skillet/scan";
import { CliError } from "../cli-error.ts";
import { wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { stripControl } from "../ui/strip-control.ts";
import { severityPaint } from "./verdict-mark.ts";

/** Finds a rule by its id, whatever its case, or ends the command with what may have been meant. */
export function findRule(rules: readonly RuleDescription[], id: string): RuleDescription {
  const found = rules.find((rule) => rule.id.toLowerCase() === id.toLowerCase());
  if (found !== undefined) return found;
  const suggestions = suggestNames(
    id,
    rules.map((rule) => rule.id),
  );
  throw new CliError("rule-unknown", `There is no rule '${id}'.`, {
    exitCode: 1,
    hints:
      suggestions.length > 0
        ? [`Did you mean ${suggestions.join(" or ")}?`]
        : ["See what there is: skillet scan --list-rules"],
    details: { rule: id, suggestions },
  });
}

/** A rule for people: what it finds, why that matters, what makes it fine, and how its severity moves. */
export function ruleText(rule: RuleDescription, layout: Layout): string[] {
  const { colours, width } = layout;
  const paragraph = (title: string, text: string): string[] => [
    "",
    colours.bold(title),
    ...wrap(stripControl(text), { width: width - 2 }).map((line) => `  ${line}`),
  ];
  return [
    `${colours.bold(stripControl(rule.id))}  ${stripControl(rule.title)}`,
    `${severityPaint(rule.severity, colours)(rule.severity)}  ${rule.category}`,
    ...paragraph("Why it matters", rule.explanation),
    ...paragraph("What makes it fine", rule.remedy),
    ...paragraph("Severity", MOVES[rule.severity]),
    ...(rule.owasp.length > 0 ? ["", colours.bold("OWASP"), ...rule.owasp.map(owaspLine)] : []),
  ];
}

function owaspLine(id: string): string {
  return `  ${id}  ${owaspTitle(id) ?? ""}`.trimEnd();
}

const LOWERED =
  "Text that quotes it, forbids it or shows it as a specimen is noted as info, and says so, and so are fixtures that nothing loads.";

const MOVES: Readonly<Record<RuleDescription["severity"], string>> = {
  critical: `Critical where the chain is complete, which makes the skill dangerous; a part of it is a warning, which asks for caution. ${LOWERED}`,
  warn: `A warning, which asks for caution; critical where other facts complete a chain, info where it is in keeping with what the skill is for. ${LOWERED}`,
  info: "Info: it is listed with --verbose, and has no effect on the verdict unless other facts complete a chain.",
};
