import type { Candidate } from "./gather-candidates.ts";
import type { Measured, Signals } from "./measure-signals.ts";
import { RANK_WEIGHTS, type RankWeights } from "./weights.ts";

export interface Fused extends Measured {
  readonly score: number;
}

/** Puts candidates in order: each signal by its weight, on one scale whatever the message. */
export function fuseSignals(
  measured: readonly Measured[],
  options: {
    readonly weights?: RankWeights;
    readonly priorOf?: (measured: Measured) => number;
    /** Which comes first of two with the same score; else the order of the index decides, which is that of a library. */
    readonly compareTies?: (left: Candidate, right: Candidate) => number;
  } = {},
): readonly Fused[] {
  const { weights = RANK_WEIGHTS, priorOf, compareTies } = options;
  const most = mostOf(measured);
  return measured
    .map((one): Fused => {
      const { candidate, signals } = one;
      return { candidate, signals, score: scoreOf(signals, most, weights) + (priorOf?.(one) ?? 0) };
    })
    .sort(
      (left, right) =>
        right.score - left.score ||
        compareTies?.(left.candidate, right.candidate) ||
        left.candidate.skill - right.candidate.skill,
    );
}

export type Most = Pick<Readonly<Signals>, "relevance" | "likelihood" | "characters" | "bigrams">;

export function mostOf(measured: readonly Measured[]): Most {
  const most = { relevance: 0, likelihood: 0, characters: 0, bigrams: 0 };
  for (const { signals } of measured) {
    most.relevance = Math.max(most.relevance, signals.relevance);
    most.likelihood = Math.max(most.likelihood, signals.likelihood);
    most.characters = Math.max(most.characters, signals.characters);
    most.bigrams = Math.max(most.bigrams, signals.bigrams);
  }
  return most;
}

/** The sum of the signals by their weights, written out: it is taken twice for every candidate of every message. */
export function scoreOf(signals: Readonly<Signals>, most: Most, weights: RankWeights): number {
  const relevance = shareOf(signals.relevance, most.relevance);
  return (
    weights.likelihood * shareOf(signals.likelihood, most.likelihood) +
    weights.characters * shareOf(signals.characters, most.characters) +
    weights.bigrams * shareOf(signals.bigrams, most.bigrams) +
    weights.coverage * signals.coverage +
    weights.sentenceCoverage * signals.sentenceCoverage +
    weights.nameShare * signals.nameShare +
    weights.nameExact * signals.nameExact +
    weights.phrase * signals.phrase +
    weights.extension * signals.extension +
    weights.agreement * relevance * signals.coverage
  );
}

export function shareOf(value: number, most: number): number {
  return most > 0 ? value / most : 0;
}
