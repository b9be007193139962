import type { TriggerMetrics } from "./measure-triggers.ts";
import type { TriggerQuery } from "./trigger-set.ts";

/** What became of one query. */
export interface TriggerResult extends TriggerQuery {
  /** How often the skill was called, of so many runs that came to an end. */
  readonly triggers: number;
  readonly runs: number;
  /** Absent where no run came to an end: nothing is known then, which is no miss. */
  readonly triggerRate?: number;
  readonly pass?: boolean;
  /** Other skills that were called, the most frequent or likeliest first. */
  readonly chosenInstead: readonly ChosenSkill[];
  /** What an author can change; only where the query fails, and where that is known. */
  readonly advice?: string;
}

/** Another skill that was taken. */
export interface ChosenSkill {
  readonly name: string;
  /** In how many runs. */
  readonly times: number;
}

/** A query as the selector decides it. */
export interface SelectorResult extends TriggerResult {
  readonly decision: "activate" | "suggest" | "nothing";
  /** How likely the skill is wanted, as the selector sees it; 0 where it is not among the best. */
  readonly score: number;
  /** Its place among all skills, from 1; absent where it is not among the best. */
  readonly rank?: number;
  readonly reasons: readonly string[];
}

/** How many queries came out as their author wants it. */
export interface TriggerSummary {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  /** Queries of which nothing is known. */
  readonly unmeasured: number;
}

/** What an evaluation found. */
export interface TriggerEvaluation<Result extends TriggerResult = TriggerResult> {
  readonly results: readonly Result[];
  readonly summary: TriggerSummary;
  readonly metrics: TriggerMetrics;
}
