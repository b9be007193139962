/** How much each signal counts; see docs/decisions/2026-11-15-selection.md for how these were fitted. */
export interface RankWeights {
  /** Of these, the share of the most that any skill has for the message. */
  readonly relevance: number;
  readonly characters: number;
  readonly bigrams: number;
  readonly coverage: number;
  readonly sentence: number;
  readonly sentenceCoverage: number;
  readonly nameExact: number;
  readonly phrase: number;
  readonly negative: number;
  readonly extension: number;
  readonly command: number;
  /** The product of relevance and coverage: much of the message, and where it matters. */
  readonly agreement: number;
}

/** Fitted: listwise softmax with light L2 over pools of 115, 615 and 2,123 skills. */
export const RANK_WEIGHTS: RankWeights = {
  relevance: 3.03,
  characters: 1.67,
  bigrams: 0.92,
  coverage: 2.71,
  sentence: 1.71,
  sentenceCoverage: 1.3,
  nameExact: 1.44,
  phrase: 1.89,
  negative: 2.28,
  extension: 1.69,
  command: 0.31,
  agreement: 3.0,
};

/** What turns a score into the probability that the skill is wanted. */
export interface DecisionWeights {
  readonly base: number;
  readonly score: number;
  /** The lead over the best other skill, or how far behind it. */
  readonly margin: number;
  /** Nearness to what the skill says it is not for. */
  readonly negative: number;
  readonly negativeCoverage: number;
  /** What its letters have of what the message says. */
  readonly characterShare: number;
  /** How long its header and the message are, by the usual, on a logarithmic scale: the longer, the more they share by chance. */
  readonly headerLength: number;
  readonly messageLength: number;
  /** Where an author gives examples: the middle between those that should and those that should not call it. */
  readonly threshold: number;
  /** How much nearer the message is to an example that should than to one that should not. */
  readonly example: number;
}

/** Fitted: logistic regression on messages that should and should not call a skill, first by text, then by examples. */
export const DECISION_WEIGHTS: DecisionWeights = {
  base: -1.912,
  score: 0.335,
  margin: 0.122,
  negative: -1.124,
  negativeCoverage: -2.694,
  characterShare: 0.802,
  headerLength: -1.213,
  messageLength: 1.373,
  threshold: -0.367,
  example: 1.39,
};

/** What tells whether a message is about the subject of a skill at all. */
export interface RelatedWeights {
  readonly base: number;
  readonly coverage: number;
  readonly sentence: number;
  readonly sentenceCoverage: number;
  readonly characterShare: number;
  readonly phrase: number;
  readonly nameExact: number;
  readonly headerLength: number;
  readonly messageLength: number;
  /** How many skills there are, on a logarithmic scale: the best of many has more in common by chance. */
  readonly librarySize: number;
}

/** Fitted: logistic regression on messages about a skill and on such as are about none of a small library. */
export const RELATED_WEIGHTS: RelatedWeights = {
  base: -3.308,
  coverage: 2.873,
  sentence: -0.059,
  sentenceCoverage: 4.115,
  characterShare: 0.814,
  phrase: 4.082,
  nameExact: 1.956,
  headerLength: -0.17,
  messageLength: 1.55,
  librarySize: 0.37,
};

/** What is known besides the message, on the scale of scores; set by hand, small against the message itself. */
export const PRIOR_WEIGHTS: {
  readonly recentUse: number;
  readonly path: number;
  readonly namedPath: number;
  readonly ignored: number;
  readonly embedding: number;
} = {
  recentUse: 0.8,
  path: 3,
  namedPath: 4,
  ignored: -0.5,
  embedding: 4,
};

/** An explicit mention settles it, and so does a pattern of somebody who is vouched for: more than all other signals together. */
export const CERTAIN = 25;

/** What a pattern of anybody else adds: something to what fits anyway, and never enough to be activated by it alone. */
export const PATTERN_BONUS = 4;

/**
 * From which probability a skill is activated, and from which it is suggested.
 *
 * Of what else seems sure behind the first, one in five is wanted: beside another a skill is activated only where the
 * message names it or its author's pattern settles it.
 */
export const THRESHOLDS: {
  readonly activate: number;
  readonly activateBeside: number;
  readonly suggest: number;
} = {
  activate: 0.82,
  activateBeside: 0.99,
  suggest: 0.43,
};
