import type { RuleDescription } from "@skillet/scan";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { printJson } from "../output/json-document.ts";
import { findRule, ruleText } from "./explain-rule.ts";
import { ruleList } from "./rule-list.ts";

/** Explains one rule, or lists all of them. */
export function tellRules(
  { terminal, environment, json }: CommandContext,
  rules: readonly RuleDescription[],
  id: string | undefined,
): ExitCode {
  const width = terminal.isTerminal ? Math.min(100, terminal.width) : Number.POSITIVE_INFINITY;
  const layout = { width, colours: terminal.colours, environment };
  const told = id === undefined ? rules : [findRule(rules, id)];
  if (json) {
    printJson(terminal, { rules: told.map(ruleRow) });
    return 0;
  }
  const lines = id === undefined ? ruleList(rules, layout) : told.flatMap((rule) => ruleText(rule, layout));
  for (const line of lines) terminal.print(line);
  return 0;
}

function ruleRow(rule: RuleDescription): Readonly<Record<string, unknown>> {
  const { id, title, category, severity, explanation, example, remedy, owasp } = rule;
  return { id, title, category, severity, explanation, ...(example && { example }), remedy, owasp };
}
