import type { Candidate } from "./gather-candidates.ts";
import type { Measured, Signals } from "./measure-signals.ts";
import { RANK_WEIGHTS, RANKED, type RankWeights, weigh } from "./weights.ts";

/** A candidate with its score. */
export interface Fused extends Measured {
  readonly score: number;
}

/** Puts candidates in order: each signal by its weight, on one scale whatever the message. */
export function fuseSignals(
  measured: readonly Measured[],
  options: {
    readonly weights?: RankWeights;
    /** What is known besides the message. */
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

/** The largest relevance, character and pair scores of a message's candidates. */
type Most = Pick<Readonly<Signals>, "relevance" | "characters" | "bigrams">;

export function mostOf(measured: readonly Measured[]): Most {
  const most = { relevance: 0, characters: 0, bigrams: 0 };
  for (const { signals } of measured) {
    most.relevance = Math.max(most.relevance, signals.relevance);
    most.characters = Math.max(most.characters, signals.characters);
    most.bigrams = Math.max(most.bigrams, signals.bigrams);
  }
  return most;
}

export function scoreOf(signals: Readonly<Signals>, most: Most, weights: RankWeights): number {
  return weigh(relativeSignals(signals, most), weights, { names: RANKED });
}

export function relativeSignals(
  signals: Readonly<Signals>,
  most: Most,
): Readonly<Record<keyof RankWeights, number>> {
  const relevance = shareOf(signals.relevance, most.relevance);
  // Written out: a spread of so many numbers for every candidate takes longer than comparing it.
  return {
    relevance,
    characters: shareOf(signals.characters, most.characters),
    bigrams: shareOf(signals.bigrams, most.bigrams),
    coverage: signals.coverage,
    sentence: signals.sentence,
    sentenceCoverage: signals.sentenceCoverage,
    nameExact: signals.nameExact,
    phrase: signals.phrase,
    negative: signals.negative,
    extension: signals.extension,
    command: signals.command,
    agreement: relevance * signals.coverage,
  };
}

function shareOf(value: number, most: number): number {
  return most > 0 ? value / most : 0;
}
