import type { ModelEvaluation, SelectorResult, TriggerEvaluation } from "@skillet/author";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";
import { figure as showFigure } from "./trigger-table.ts";

/** What an evaluation has to reach; each bound holds for every evaluation that is made. */
export interface TriggerBounds {
  readonly minPrecision?: number;
  readonly minRecall?: number;
  readonly minF1?: number;
}

/** A bound that was not reached. */
export interface MissedBound {
  readonly by: string;
  readonly figure: "precision" | "recall" | "f1";
  /** Null where nothing was measured that it could be of. */
  readonly value: number | null;
  readonly bound: number;
  /** Messages of which nothing is known: no bound is known to be reached by them. */
  readonly unmeasured: number;
}

/** The bounds that an evaluation does not reach; of messages that were not measured none is known to be reached. */
export function missedBounds(
  evaluation: TriggerEvaluation<SelectorResult> | ModelEvaluation,
  { minPrecision, minRecall, minF1 }: TriggerBounds,
): readonly MissedBound[] {
  const { metrics, summary } = evaluation;
  const by = "by" in evaluation ? evaluation.by : "selector";
  const bounds = [
    { figure: "precision", value: metrics.precision, bound: minPrecision },
    { figure: "recall", value: metrics.recall, bound: minRecall },
    { figure: "f1", value: metrics.f1, bound: minF1 },
  ] as const;
  const { unmeasured } = summary;
  return bounds.flatMap(({ figure, value = null, bound }) =>
    bound !== undefined && (value === null || value < bound || unmeasured > 0)
      ? [{ by, figure, value, bound, unmeasured }]
      : [],
  );
}

/** The same for people. */
export function missedBoundWords({ by, figure, value, bound, unmeasured }: MissedBound): string {
  const name = `${stripControl(by)}: ${figure === "f1" ? "F1" : figure}`;
  if (value === null) return `${name} was not measured, so that it is not known to reach ${bound}`;
  if (value < bound) return `${name} is ${showFigure(value)}, below ${bound}`;
  const were = unmeasured === 1 ? "was" : "were";
  return `${name} is not known to reach ${bound}: ${count(unmeasured, "message")} ${were} not measured`;
}
