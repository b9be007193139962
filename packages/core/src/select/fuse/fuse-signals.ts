import type { Candidate } from "../signal/gather-candidates.ts";
import type { Measured } from "../signal/measure-signals.ts";
import type { SignalRow } from "../signal/signals.ts";
import { RANK_WEIGHTS, type RankWeights } from "./weights.ts";

/** A candidate with what each signal added to its score. */
export interface Fused extends Measured {
  readonly score: number;
}

/** The sum that ranks: each signal by its weight, on one scale whatever the message. */
export function fuseSignals(
  measured: readonly Measured[],
  options: {
    readonly weights?: RankWeights;
    /** What is known besides the message. */
    readonly priorOf?: (measured: Measured) => number;
    /** Who comes first of two with the same score; else the order of the index decides, which is that of a library. */
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
        left.candidate.place - right.candidate.place ||
        left.candidate.skill - right.candidate.skill,
    );
}

/** The signals that are ranked by, in the order of rows that weights are fitted on. */
export const RANKED: readonly (keyof RankWeights)[] = [
  "relevance",
  "characters",
  "bigrams",
  "coverage",
  "sentence",
  "sentenceCoverage",
  "nameExact",
  "phrase",
  "negative",
  "extension",
  "command",
  "agreement",
];

/** The largest relevance, character and pair scores of a message's candidates. */
export interface Most {
  readonly relevance: number;
  readonly characters: number;
  readonly bigrams: number;
}

export function mostOf(measured: readonly Measured[]): Most {
  const most = { relevance: 0, characters: 0, bigrams: 0 };
  for (const { signals } of measured) {
    most.relevance = Math.max(most.relevance, signals.relevance);
    most.characters = Math.max(most.characters, signals.characters);
    most.bigrams = Math.max(most.bigrams, signals.bigrams);
  }
  return most;
}

/** What the weights are multiplied with. */
export function relativeSignals(signals: SignalRow, most: Most): Readonly<Record<keyof RankWeights, number>> {
  const relevance = share(signals.relevance, most.relevance);
  return {
    ...signals,
    relevance,
    characters: share(signals.characters, most.characters),
    bigrams: share(signals.bigrams, most.bigrams),
    agreement: relevance * signals.coverage,
  };
}

/** The same sum as over `relativeSignals`, written out: it is taken for every candidate of every message. */
export function scoreOf(signals: SignalRow, most: Most, weights: RankWeights): number {
  const relevance = share(signals.relevance, most.relevance);
  return (
    weights.relevance * relevance +
    weights.characters * share(signals.characters, most.characters) +
    weights.bigrams * share(signals.bigrams, most.bigrams) +
    weights.coverage * signals.coverage +
    weights.sentence * signals.sentence +
    weights.sentenceCoverage * signals.sentenceCoverage +
    weights.nameExact * signals.nameExact +
    weights.phrase * signals.phrase +
    weights.negative * signals.negative +
    weights.extension * signals.extension +
    weights.command * signals.command +
    weights.agreement * relevance * signals.coverage
  );
}

function share(value: number, most: number): number {
  return most > 0 ? value / most : 0;
}
