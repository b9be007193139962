import type { Fused } from "./fuse-signals.ts";
import type { SignalRow } from "./measure-signals.ts";
import { DECISION_WEIGHTS, type DecisionWeights, RELATED_WEIGHTS, type RelatedWeights } from "./weights.ts";

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
 * The less of two: that the message is about the skill's subject at all, and that of what lies near that subject it is what
 * the skill is for. The margin is what the best competing skill leaves: two skills that both fit are less sure than one.
 */
export function judgeProbability(
  fused: Fused,
  context: {
    readonly margin: number;
    readonly size: number;
    /** The message names the skill, or has what its author declared: then it is about it, whatever else they share. */
    readonly isCalled?: boolean;
    /** What of the score is known besides the message; it counts for both. */
    readonly prior?: number;
    readonly examples?: ExampleEvidence | undefined;
    readonly weights?: DecisionWeights;
    readonly relatedWeights?: RelatedWeights;
  },
): number {
  const { margin, size, isCalled = false, prior = 0, examples, weights = DECISION_WEIGHTS } = context;
  const row = decisionRow(fused, { margin, examples });
  let sum = weights.base;
  for (const name of DECIDED) sum += weights[name] * row[name];
  const wanted = 1 / (1 + Math.exp(-sum));
  if (isCalled) return wanted;
  const nearness = examples?.nearness ?? 0;
  const related = judgeRelated(fused.signals, {
    size,
    shift: weights.score * prior + weights.example * nearness,
    ...(context.relatedWeights && { weights: context.relatedWeights }),
  });
  return Math.min(wanted, Math.max(related, nearness));
}

/** What is decided by, in the order of rows that weights are fitted on. */
export const DECIDED: readonly Exclude<keyof DecisionWeights, "base">[] = [
  "score",
  "margin",
  "negative",
  "negativeCoverage",
  "characterShare",
  "headerLength",
  "messageLength",
  "threshold",
  "example",
];

/** Where scores of examples that should call a skill and of those that should not usually meet. */
export const USUAL_THRESHOLD = 7.1;

/**
 * How much examples lift or lower a skill's place, on the scale of scores.
 *
 * Who gives examples of everything passes only those that fit about as well as it does by its own text.
 */
export function exampleShift(examples: ExampleEvidence, weights: DecisionWeights = DECISION_WEIGHTS): number {
  const { threshold, nearness } = examples;
  const shift =
    (weights.threshold * (threshold - USUAL_THRESHOLD) + weights.example * nearness) / weights.score;
  return Math.min(MAX_LIFT, shift);
}

const MAX_LIFT = 1;

export function decisionRow(
  { score, signals }: Fused,
  { margin, examples }: { readonly margin: number; readonly examples?: ExampleEvidence | undefined },
): Readonly<Record<Exclude<keyof DecisionWeights, "base">, number>> {
  return {
    score,
    margin: Math.max(-MAX_MARGIN, Math.min(MAX_MARGIN, margin)),
    negative: signals.negative,
    negativeCoverage: signals.negativeCoverage,
    characterShare: signals.characterShare,
    headerLength: headerLengthOf(signals),
    messageLength: messageLengthOf(signals),
    threshold: examples === undefined ? 0 : examples.threshold - USUAL_THRESHOLD,
    example: examples?.nearness ?? 0,
  };
}

// A skill far behind is as good as out: how far does not matter any more.
const MAX_MARGIN = 8;

/**
 * How likely it is that a message is about the subject of a skill at all, between 0 and 1.
 *
 * Among few skills one is always the best, and far ahead of the others, for whatever somebody says: only what it has in
 * common with the message by itself tells whether that means anything.
 */
function judgeRelated(
  signals: SignalRow,
  options: {
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

// A long header has something in common with everything, and of a long message there is always something to find.
// Beyond what the weights were fitted on, a length counts as the nearest that they know; a header counts further, since
// beyond that nobody describes a skill, and whoever lists words pays for them.
const HEADER_LENGTH = { least: 15, usual: 70, most: 1_500 };
const MESSAGE_LENGTH = { least: 3, usual: 15, most: 40 };

/** How long a header is by the usual, on a logarithmic scale. */
function headerLengthOf({ headerLength }: Pick<SignalRow, "headerLength">): number {
  return byUsual(headerLength, HEADER_LENGTH);
}

/** How long a message is by the usual, on a logarithmic scale. */
function messageLengthOf({ messageLength }: Pick<SignalRow, "messageLength">): number {
  return byUsual(messageLength, MESSAGE_LENGTH);
}

function byUsual(length: number, { least, usual, most }: typeof HEADER_LENGTH): number {
  return Math.log(Math.min(most, Math.max(least, length)) / usual);
}
