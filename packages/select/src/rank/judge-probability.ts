import { type Nearness, NO_EXAMPLES } from "../learned/example-tables.ts";
import type { Fused } from "./measure-signals.ts";
import {
  DECISION_WEIGHTS,
  type DecisionWeights,
  PRIOR_SHARE,
  RELATED_WEIGHTS,
  type RelatedWeights,
  SUBJECT_WEIGHT,
  THRESHOLDS,
  weigh,
} from "./weights.ts";

/**
 * How likely it is that the skill is wanted: the less of two, that the message is about the skill's subject at all, and that of
 * what lies near that subject it is what the skill is for. Among few skills one is always far ahead of the others, for any message:
 * only what it has in common with the message by itself tells whether that means anything.
 */
export function judgeProbability(
  fused: Fused,
  context: {
    /** The lead over the best competing skill: two skills that both fit are less sure than one. */
    readonly margin: number;
    readonly size: number;
    /** The message names the skill, or has what its author declared: then it is about it, whatever else they share. */
    readonly isCalled?: boolean;
    /** The part of the score that the context gave; it counts for both. */
    readonly prior?: number;
    readonly nearness?: Nearness | undefined;
    readonly weights?: DecisionWeights;
    readonly relatedWeights?: RelatedWeights;
  },
): number {
  const { margin, size, isCalled = false, prior = 0, nearness = NO_EXAMPLES } = context;
  const { weights = DECISION_WEIGHTS, relatedWeights = RELATED_WEIGHTS } = context;
  const row = judgedRow(fused, { margin, size, nearness });
  const wanted = logistic(weigh(weights, row));
  if (isCalled || nearness.subject === 1) return wanted;
  const shift = PRIOR_SHARE * prior + SUBJECT_WEIGHT * nearness.subject;
  const related = logistic(weigh(relatedWeights, row) + shift);
  const learned =
    nearness === NO_EXAMPLES ? 0 : Math.min(1, Math.max(0, 1 + OTHER_SUBJECT_COST * nearness.subject));
  const most = Math.min(mostFor(fused.candidate, shift, size), evidenceShare(fused) < 0.9 ? MAX_UNSURE : 1);
  const share = fused.candidate.lacksAll ? LACKING_SHARE : 1;
  const { isSubject, negativeOnly } = fused.candidate;
  const isMeant = isSubject && nearness.wanted >= 0 && negativeOnly < NEGATIVE_FLOOR;
  const about = related * evidenceShare(fused, learned + Math.max(0, shift));
  return Math.max(isMeant ? THRESHOLDS.suggest : 0, share * Math.min(wanted, most, about));
}

/** A skill that lacks the verb or the object of an order that says no more is mostly a neighbour of the one that is meant. */
const LACKING_SHARE = 0.85;

/** Examples make up for what a short message lacks, less so if they are about another subject: some are like any greeting. */
const OTHER_SUBJECT_COST = 1.25;

/** Below what activates a skill: of everyday words, examples and the context never say enough for that. */
export const MAX_UNSURE = 0.75;

/** From this share of a message on in its limits alone, a skill says that the message is not for it. */
export const NEGATIVE_FLOOR = 0.15;

/** Below what suggests one; and the size from which on some skill has any word in passing. */
const MAX_BY_CHANCE = 0.4;
const MANY_SKILLS = 100;

/** Less of a phrase is one rare word of it, such as the place in "flights to Hamburg". */
const LEAST_PHRASE = 0.2;

/**
 * One word that a description names in passing is often meant otherwise: a haiku is also a model. Examples or the context,
 * `besides`, may say that it is not.
 */
function mostFor(candidate: Fused["candidate"], besides: number, size: number): number {
  const { negativeOnly, telling, extension, nameShare, phrase, paired, lacksAll, nameExact, messageLength } =
    candidate;
  const isNamedBy = (least: number): boolean => nameShare > 0 || phrase > least || besides > 0;
  if (!isNamedBy(LEAST_PHRASE) && paired === 0 && size > MANY_SKILLS && telling + extension <= 1)
    return MAX_BY_CHANCE;
  // A word alone is part of many names.
  const isSure =
    messageLength === 1
      ? nameExact === 1 || phrase > 0 || besides > 0
      : isNamedBy(0) || telling + extension >= 2;
  return isSure && (!lacksAll || besides > 0) && negativeOnly < NEGATIVE_FLOOR ? 1 : MAX_UNSURE;
}

/** The share of the evidence that a decision takes, one telling word or as much of something else: everyday words meet everywhere. */
export function evidenceShare({ candidate }: Fused, besides = 0): number {
  const said = besides * Math.min(1, candidate.messageLength / 7) ** 3; // Less of a short message: "forget it".
  return Math.min(1, candidate.telling + candidate.extension + said) ** 1.5;
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}

const MAX_LIFT = 1;

/** On the scale of scores. Examples of everything pass only skills that fit about as well by their text. */
export function exampleShift({ wanted, subject }: Nearness): number {
  return Math.min(MAX_LIFT, (DECISION_WEIGHTS.example * Math.min(wanted, subject)) / DECISION_WEIGHTS.score);
}

const MAX_MARGIN = 8; // A skill far from the best is as good as out.
const MAX_CHARACTER_SHARE = 1.5; // A word alone has more letters in common with its own skill than it weighs.
// Beyond what the weights were fitted on, a length or a library counts as the nearest that they know; a header counts further,
// since an honest description is never that long, and a list of words is to cost its author something.
const HEADER_LENGTH = { least: 15, usual: 70, most: 1_500 };
const MESSAGE_LENGTH = { least: 3, usual: 15, most: 40 };
const LIBRARY_SIZE = { least: 3, usual: 1, most: 2_000 };
const MAX_QUOTED = 100; // What people say is quoted on purpose; beyond this it is a list of words like any other.

/** What the weights of either judgement are multiplied with. */
export function judgedRow(
  { score, candidate }: Fused,
  context: { readonly margin: number; readonly size: number; readonly nearness?: Nearness | undefined },
): DecisionWeights & RelatedWeights {
  const unquoted = candidate.headerLength - Math.min(MAX_QUOTED, candidate.quotedLength);
  // Written out: to spread a candidate takes longer than to judge it.
  return {
    base: 1,
    score,
    coverage: candidate.coverage,
    sentenceCoverage: candidate.sentenceCoverage,
    phrase: candidate.phrase,
    nameExact: candidate.nameExact,
    negativeCoverage: candidate.negativeCoverage,
    negativeOnly: candidate.negativeOnly,
    ruledOut: candidate.ruledOut,
    question: candidate.question,
    margin: Math.max(-MAX_MARGIN, Math.min(MAX_MARGIN, context.margin)),
    characterShare: Math.min(MAX_CHARACTER_SHARE, candidate.characterShare),
    headerLength: byUsual(unquoted, HEADER_LENGTH),
    messageLength: byUsual(candidate.messageLength, MESSAGE_LENGTH),
    librarySize: byUsual(context.size, LIBRARY_SIZE),
    example: context.nearness?.wanted ?? 0,
  };
}

/** How long something is by the usual, on a logarithmic scale. */
function byUsual(length: number, { least, usual, most }: typeof HEADER_LENGTH): number {
  return Math.log(Math.min(most, Math.max(least, length)) / usual);
}
