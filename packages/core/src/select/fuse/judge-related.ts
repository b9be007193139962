import type { SignalRow } from "../signal/signals.ts";
import { headerLengthOf, messageLengthOf } from "./usual-lengths.ts";
import { RELATED_WEIGHTS, type RelatedWeights } from "./weights.ts";

/**
 * How likely it is that a message is about the subject of a skill at all, between 0 and 1.
 *
 * Among few skills one is always the best, and far ahead of the others, for whatever somebody says: only what it has in
 * common with the message by itself tells whether that means anything.
 */
export function judgeRelated(
  signals: SignalRow,
  options: {
    /** How many skills the library has. */
    readonly size: number;
    /** What speaks for or against it besides, as log-odds. */
    readonly shift?: number;
    readonly weights?: RelatedWeights;
  },
): number {
  const { size, shift = 0, weights = RELATED_WEIGHTS } = options;
  const row = relatedRow(signals, size);
  let sum = weights.base + shift;
  for (const name of RELATED) sum += weights[name] * row[name];
  return 1 / (1 + Math.exp(-sum));
}

/** What it is told by, in the order of rows that weights are fitted on. */
export const RELATED: readonly Exclude<keyof RelatedWeights, "base">[] = [
  "coverage",
  "sentence",
  "sentenceCoverage",
  "characterShare",
  "phrase",
  "nameExact",
  "headerLength",
  "messageLength",
  "librarySize",
];

/** What the weights are multiplied with. */
export function relatedRow(
  signals: SignalRow,
  size: number,
): Readonly<Record<Exclude<keyof RelatedWeights, "base">, number>> {
  const { coverage, sentence, sentenceCoverage, characterShare, phrase, nameExact } = signals;
  return {
    coverage,
    sentence,
    sentenceCoverage,
    characterShare,
    phrase,
    nameExact,
    headerLength: headerLengthOf(signals),
    messageLength: messageLengthOf(signals),
    librarySize: Math.log(Math.max(LEAST_SIZE, Math.min(MOST_SIZE, size))),
  };
}

// Beyond what the weights were fitted on, a library counts as the nearest that they know.
const LEAST_SIZE = 3;
const MOST_SIZE = 2_000;
