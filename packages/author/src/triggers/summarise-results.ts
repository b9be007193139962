import { measureTriggers } from "./measure-triggers.ts";
import type { TriggerEvaluation, TriggerResult } from "./trigger-result.ts";

/** Adds the figures to the results. */
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
