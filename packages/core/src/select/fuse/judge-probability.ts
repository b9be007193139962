import type { Fused } from "./fuse-signals.ts";
import { DECISION_WEIGHTS, type DecisionWeights } from "./weights.ts";

/** What examples of its author say about a skill and a message. */
export interface ExampleEvidence {
  /** The middle between the scores of examples that should call it and of those that should not. */
  readonly threshold: number;
  /** How much nearer the message is to the former than to the latter; between -1 and 1. */
  readonly nearness: number;
}

/**
 * How likely it is that the skill is wanted, between 0 and 1: one threshold means the same for all skills.
 *
 * The margin is what the best competing skill leaves: two skills that both fit are less sure than one.
 */
export function judgeProbability(
  fused: Fused,
  context: {
    readonly margin: number;
    readonly examples?: ExampleEvidence | undefined;
    readonly weights?: DecisionWeights;
  },
): number {
  const { margin, examples, weights = DECISION_WEIGHTS } = context;
  const row = decisionRow(fused, { margin, examples });
  let sum = weights.base;
  for (const name of DECIDED) sum += weights[name] * row[name];
  return 1 / (1 + Math.exp(-sum));
}

/** What is decided by, in the order of rows that weights are fitted on. */
export const DECIDED: readonly Exclude<keyof DecisionWeights, "base">[] = [
  "score",
  "margin",
  "negative",
  "coverage",
  "relevance",
  "threshold",
  "example",
];

/** Where scores of examples that should call a skill and of those that should not usually meet. */
export const USUAL_THRESHOLD = 7.1;

/** How much examples lift or lower a skill's place, on the scale of scores. */
export function exampleShift(examples: ExampleEvidence, weights: DecisionWeights = DECISION_WEIGHTS): number {
  const { threshold, nearness } = examples;
  return (weights.threshold * (threshold - USUAL_THRESHOLD) + weights.example * nearness) / weights.score;
}

/** What the weights are multiplied with. */
export function decisionRow(
  { score, signals }: Fused,
  { margin, examples }: { readonly margin: number; readonly examples?: ExampleEvidence | undefined },
): Readonly<Record<Exclude<keyof DecisionWeights, "base">, number>> {
  return {
    score,
    margin: Math.max(-MAX_MARGIN, Math.min(MAX_MARGIN, margin)),
    negative: signals.negative,
    coverage: signals.coverage,
    relevance: signals.relevance,
    threshold: examples === undefined ? 0 : examples.threshold - USUAL_THRESHOLD,
    example: examples?.nearness ?? 0,
  };
}

// A skill far behind is as good as out: how far does not matter any more.
const MAX_MARGIN = 8;
