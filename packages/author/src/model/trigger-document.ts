import type { Skill } from "@skillet/core";
import type { SelectorResult, TriggerEvaluation } from "../triggers/trigger-result.ts";
import type { ModelEvaluation, ModelResult } from "./evaluate-with-model.ts";

/** An evaluation in the field names of skill-creator, which other tools read, and what we know besides. */
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
    results: results.map(resultRow),
    summary,
    metrics: {
      precision: metrics.precision ?? null,
      recall: metrics.recall ?? null,
      f1: metrics.f1 ?? null,
      accuracy: metrics.accuracy ?? null,
      true_positives: metrics.truePositives,
      false_positives: metrics.falsePositives,
      true_negatives: metrics.trueNegatives,
      false_negatives: metrics.falseNegatives,
    },
    ...(model && {
      failed_runs: model.failedRuns,
      usage: {
        prompt_tokens: model.usage.promptTokens,
        completion_tokens: model.usage.completionTokens,
        answers: model.usage.answers,
        answers_without_usage: model.usage.withoutUsage,
      },
    }),
  };
}

function resultRow(result: SelectorResult | ModelResult): Readonly<Record<string, unknown>> {
  const { id, query, shouldTrigger, triggers, runs, triggerRate, pass, line, chosenInstead, advice } = result;
  return {
    id,
    query,
    should_trigger: shouldTrigger,
    trigger_rate: triggerRate ?? null,
    triggers,
    runs,
    pass: pass ?? null,
    ...(line !== undefined && { line }),
    chosen_instead: chosenInstead,
    ...("decision" in result && {
      decision: result.decision,
      score: result.score,
      rank: result.rank ?? null,
      reasons: result.reasons,
    }),
    ...("failures" in result && { errors: result.failures }),
    ...(advice !== undefined && { advice }),
  };
}
