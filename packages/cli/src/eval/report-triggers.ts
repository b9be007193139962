import type { ModelEvaluation, SelectorResult, TriggerEvaluation } from "@skillet/author";
import type { LearnedReading, Skill } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import { wrap } from "../ui/fit-text.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";
import { warnDiagnostics } from "../ui/warn-diagnostics.ts";
import { type MissedBound, missedBoundWords } from "./missed-bounds.ts";
import type { ReadTriggerSets } from "./read-trigger-sets.ts";
import { triggerTable } from "./trigger-table.ts";

/** Everything that one evaluation of a skill found. */
export interface TriggerReport {
  readonly skill: Skill;
  readonly others: readonly Skill[];
  readonly sets: ReadTriggerSets;
  readonly selected: TriggerEvaluation<SelectorResult> | undefined;
  readonly modelled: ModelEvaluation | undefined;
  readonly missed: readonly MissedBound[];
  /** What the selector went by besides the skills; undefined where it was left out. */
  readonly learned: LearnedReading | undefined;
  readonly options: {
    readonly at?: "activate" | "suggest";
    readonly withExamples?: boolean;
    readonly untaught?: boolean;
    readonly verbose?: boolean;
    readonly output?: string;
  };
}

/** Prints what came of a skill's messages: the selector's decisions, then the model's. */
export function reportTriggers(context: CommandContext, report: TriggerReport): void {
  const { terminal, environment } = context;
  const { skill, sets, selected, modelled, missed, options } = report;
  const layout = {
    width: terminal.width,
    colours: terminal.colours,
    environment,
    verbose: options.verbose === true,
  };
  warnDiagnostics(context, [...sets.diagnostics, ...(report.learned?.diagnostics ?? [])]);
  if (!skill.manifest.invocation.model)
    for (const line of wrap(
      `${stripControl(skill.qualifiedName)} forbids the model to invoke it, so that it is never activated by itself.`,
      { width: terminal.errorLineWidth },
    ))
      terminal.warn(terminal.errorColours.yellow(line));
  const show = (title: string, lines: readonly string[]): void => {
    for (const line of [...wrap(title, layout), ...lines]) terminal.print(line);
  };
  if (selected !== undefined) show(selectorTitle(report, environment), triggerTable(selected, layout));
  if (selected !== undefined && modelled !== undefined) terminal.print();
  if (modelled !== undefined) {
    show(`${stripControl(skill.qualifiedName)} by ${stripControl(modelled.by)}, ${company(report)}:`, [
      ...triggerTable(modelled, layout),
      "",
      ...wrap(costs(modelled), layout).map((line) => terminal.colours.dim(line)),
    ]);
  }
  for (const bound of missed)
    for (const line of wrap(missedBoundWords(bound), { width: terminal.errorLineWidth }))
      terminal.warn(terminal.errorColours.red(line));
}

/** Whether anything was learned at all. */
export function isTaught(learned: LearnedReading | undefined): learned is LearnedReading {
  return learned !== undefined && learned.learned.skills.size > 0;
}

function selectorTitle(report: TriggerReport, environment: CommandContext["environment"]): string {
  const { skill, options, learned } = report;
  const called = options.at === "activate" ? "activated" : "suggested or activated";
  const examples = options.withExamples === true ? ", the other messages as examples" : "";
  const taught = isTaught(learned) ? `, taught by ${showPath(learned.file, environment)}` : "";
  const how = options.untaught === true ? ", untaught" : taught;
  return `${stripControl(skill.qualifiedName)} by the selector, ${company(report)}${how}${examples}; called means ${called}:`;
}

function company({ skill, others }: TriggerReport): string {
  const offered = others.filter(
    ({ state, kind, path }) => state === "enabled" && kind === "skill" && path !== skill.path,
  );
  return offered.length === 0 ? "alone" : `among ${count(offered.length, "other skill")}`;
}

function costs({ usage, failedRuns }: ModelEvaluation): string {
  const tokens = `${usage.promptTokens + usage.completionTokens} tokens by the endpoint's own account (${usage.promptTokens} in, ${usage.completionTokens} out)`;
  const parts = [
    usage.withoutUsage === usage.answers ? "The endpoint told no tokens" : tokens,
    ...(usage.withoutUsage > 0 && usage.withoutUsage < usage.answers
      ? [`${usage.withoutUsage} of ${count(usage.answers, "answer")} without any`]
      : []),
    ...(failedRuns > 0 ? [`${count(failedRuns, "run")} failed and did not count`] : []),
  ];
  return `${parts.join("; ")}.`;
}
