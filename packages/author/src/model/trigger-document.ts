import type { Skill } from "@skillet/core";
import type { SelectorResult, TriggerEvaluation } from "../triggers/trigger-result.ts";
import type { ModelEvaluation } from "./evaluate-with-model.ts";

/** An evaluation in the field names of skill-creator, which other tools read, plus fields of our own. */
export function triggerDocument(
  skill: Skill,
  evaluation: TriggerEvaluation<SelectorResult> | ModelEvaluation,
): Readonly<Record<string, unknown>> {
  const { results, summary, metrics } = evaluation;
  const model = "by" in evaluation ? evaluation : undefined;
  return {
    skill_name: skill.name,
    description: skill.manifest.description,
    by: model?.by ?? "selector",
    results: results.map((result) => {
      const { triggerRate = null, pass = null } = result;
      const rank = "decision" in result ? { rank: result.rank ?? null } : {};
      return named({ ...result, triggerRate, pass, ...rank });
    }),
    summary,
    metrics: named({ precision: null, recall: null, f1: null, accuracy: null, ...metrics }),
    ...(model && { failed_runs: model.failedRuns, usage: named(model.usage) }),
  };
}

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["failures", "errors"],
  ["withoutUsage", "answers_without_usage"],
]);

function named(fields: object): Readonly<Record<string, unknown>> {
  const nameOf = (key: string): string =>
    OTHER_NAMES.get(key) ?? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [nameOf(key), value]));
}
