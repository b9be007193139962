import { present } from "@skillet/kit/json";
import type { TriggerQuery } from "./read-trigger-set.ts";

/** The result of one query. */
export interface TriggerResult extends TriggerQuery {
  /** How many of the completed runs triggered the skill. */
  readonly triggers: number;
  readonly runs: number;
  /** Absent if no run was completed: nothing is known then, and it does not count as a miss. */
  readonly triggerRate?: number;
  readonly pass?: boolean;
  /** Other skills that were chosen, the most frequent or most likely first. */
  readonly chosenInstead: readonly ChosenSkill[];
  /** Advice for the author; only if the query fails and the reason is known. */
  readonly advice?: string;
}

/** Another skill that was chosen instead. */
export interface ChosenSkill {
  readonly name: string;
  readonly times: number;
}

/** The result of a query that the selector decided. */
export interface SelectorResult extends TriggerResult {
  readonly decision: "activate" | "suggest" | "nothing";
  /** How likely the skill is wanted according to the selector; 0 if it is not among the best. */
  readonly score: number;
  /** Its rank among all skills, from 1; absent if it is not among the best. */
  readonly rank?: number;
  readonly reasons: readonly string[];
}

/** How many queries came out as their author wants. */
export interface TriggerSummary {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly unmeasured: number;
}

/** The result of an evaluation. */
export interface TriggerEvaluation<Result extends TriggerResult = TriggerResult> {
  readonly results: readonly Result[];
  readonly summary: TriggerSummary;
  readonly metrics: TriggerMetrics;
}

/** How often a skill was triggered rightly and wrongly, and shares, which are absent if their denominator is 0. */
export interface TriggerMetrics {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly trueNegatives: number;
  readonly falseNegatives: number;
  /** The share of the triggers that was right; absent if nothing triggered. */
  readonly precision?: number;
  /** The share of the queries that should trigger and did; absent if none should. */
  readonly recall?: number;
  /** Absent if nothing triggered and nothing should. */
  readonly f1?: number;
  readonly accuracy?: number;
}

export function measureTriggers(
  calls: readonly { readonly shouldTrigger: boolean; readonly triggers: number; readonly runs: number }[],
): TriggerMetrics {
  const sum = (shouldTrigger: boolean, countOf: (call: (typeof calls)[number]) => number): number =>
    calls.reduce((total, call) => total + (call.shouldTrigger === shouldTrigger ? countOf(call) : 0), 0);
  const truePositives = sum(true, ({ triggers }) => triggers);
  const falseNegatives = sum(true, ({ triggers, runs }) => runs - triggers);
  const falsePositives = sum(false, ({ triggers }) => triggers);
  const trueNegatives = sum(false, ({ triggers, runs }) => runs - triggers);
  const all = truePositives + falseNegatives + falsePositives + trueNegatives;
  return present<TriggerMetrics>({
    truePositives,
    falsePositives,
    trueNegatives,
    falseNegatives,
    precision: share(truePositives, truePositives + falsePositives),
    recall: share(truePositives, truePositives + falseNegatives),
    f1: share(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives),
    accuracy: share(truePositives + trueNegatives, all),
  });
}

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole);

export function summariseResults<Result extends TriggerResult>(
  results: readonly Result[],
): TriggerEvaluation<Result> {
  const passed = results.filter(({ pass }) => pass === true).length;
  const failed = results.filter(({ pass }) => pass === false).length;
  return {
    results,
    summary: { total: results.length, passed, failed, unmeasured: results.length - passed - failed },
    metrics: measureTriggers(results),
  };
}
