import { suggestNames } from "@skillet/core/internal";
import { owaspTitle, type RuleDescription } from "@skillet/scan";
import { CliError, didYouMean } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { severityPaint } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { displayWidth, hang, pad, showControl, stripControl, wrap } from "../ui/text.ts";

export function tellRules(
  context: CommandContext,
  rules: readonly RuleDescription[],
  id: string | undefined,
): ExitCode {
  const { terminal } = context;
  const layout = { ...terminal, width: Math.min(terminal.isTerminal ? 100 : Infinity, terminal.lineWidth) };
  const told = id === undefined ? rules : [findRule(rules, id)];
  return answer(context, { rules: told.map(ruleRow) }, () =>
    id === undefined ? ruleList(rules, layout) : told.flatMap((rule) => ruleText(rule, layout)),
  );
}

function ruleRow(rule: RuleDescription): Readonly<Record<string, unknown>> {
  const { id, title, category, severity, explanation, example, remedy, owasp } = rule;
  return { id, title, category, severity, explanation, example, remedy, owasp };
}

function findRule(rules: readonly RuleDescription[], id: string): RuleDescription {
  const found = rules.find((rule) => rule.id.toLowerCase() === id.toLowerCase());
  if (found !== undefined) return found;
  const suggestions = suggestNames(
    id,
    rules.map((rule) => rule.id),
  );
  throw new CliError("rule-unknown", `There is no rule '${id}'.`, {
    hints: didYouMean(suggestions, "See what there is: skillet scan --list-rules"),
    details: { rule: id, suggestions },
  });
}

function ruleText(rule: RuleDescription, layout: Layout): string[] {
  const { colours } = layout;
  const owasp = rule.owasp.map((id) => `  ${id}  ${owaspTitle(id) ?? ""}`.trimEnd());
  const paragraph = (title: string, text: string): string[] => [
    "",
    colours.bold(title),
    ...hang(text, layout, { indent: 2 }),
  ];
  return [
    `${colours.bold(stripControl(rule.id))}  ${stripControl(rule.title)}`,
    `${severityPaint(rule.severity, colours)(rule.severity)}  ${rule.category}  ${colours.dim(EFFECTS[rule.severity])}`,
    ...paragraph("What it looks for, and why", rule.explanation),
    ...exampleLines(rule, layout),
    ...paragraph("What makes it fine", rule.remedy),
    ...(owasp.length > 0 ? ["", colours.bold("OWASP"), ...owasp] : []),
  ];
}

// Code is not wrapped, because other line breaks would change the example.
function exampleLines({ example }: RuleDescription, { colours, width }: Layout): string[] {
  if (example === undefined) return [];
  const { file, text } = example;
  const isCode = file !== undefined && file !== "SKILL.md";
  const lines = text.split("\n").flatMap((line) => {
    const shown = showControl(line);
    return isCode || line.startsWith(" ") || line === "" ? [shown] : wrap(shown, { width: width - 4 });
  });
  return [
    "",
    `${colours.bold("Example")}${file === undefined ? "" : colours.dim(`  in ${file}`)}`,
    ...lines.map((line) => `    ${line}`.trimEnd()),
  ];
}

const EFFECTS: Readonly<Record<RuleDescription["severity"], string>> = {
  critical: "one finding makes a skill dangerous",
  warn: "one finding asks for caution",
  info: "no effect on the verdict",
};

function ruleList(rules: readonly RuleDescription[], layout: Layout): string[] {
  const { colours } = layout;
  const column = Math.max(0, ...rules.map(({ id }) => displayWidth(stripControl(id)))) + 2;
  const width = Math.max(layout.width, column + 30);
  return rules.flatMap(({ id, severity, title }) => {
    const lead = `${colours.bold(pad(stripControl(id), column))}${severityPaint(severity, colours)(pad(severity, 10))}`;
    return hang(title, { width }, { indent: column + 10, lead });
  });
}
