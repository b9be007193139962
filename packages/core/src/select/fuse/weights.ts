/** How much each signal counts; see docs/decisions/2026-11-15-selection.md for how these were fitted. */
export interface RankWeights {
  /** Of these, the share of the most that any skill has for the message. */
  readonly relevance: number;
  readonly characters: number;
  readonly bigrams: number;
  /** As they are. */
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
  relevance: 2.86,
  characters: 2.3,
  bigrams: 0.81,
  coverage: 2.49,
  sentence: 1.64,
  sentenceCoverage: 1.1,
  nameExact: 1.4,
  phrase: 1.56,
  negative: 2.27,
  extension: 1.88,
  command: 0.57,
  agreement: 2.84,
};

/** What turns a score into the probability that the skill is wanted. */
export interface DecisionWeights {
  readonly base: number;
  readonly score: number;
  /** The lead over the best other skill, or how far behind it. */
  readonly margin: number;
  /** Nearness to what the skill says it is not for. */
  readonly negative: number;
  readonly coverage: number;
  readonly relevance: number;
  /** Where an author gives examples: the middle between those that should and those that should not call it. */
  readonly threshold: number;
  /** How much nearer the message is to an example that should than to one that should not. */
  readonly example: number;
}

/** Fitted: logistic regression on messages that should and should not call a skill. */
export const DECISION_WEIGHTS: DecisionWeights = {
  base: -2.18,
  score: 0.226,
  margin: 0.144,
  negative: -3.2,
  coverage: 0.57,
  relevance: 0.033,
  threshold: -0.675,
  example: 1.83,
};

/** What is known besides the message, on the scale of scores; set by hand, small against the message itself. */
export const PRIOR_WEIGHTS: {
  readonly recentUse: number;
  readonly path: number;
  readonly ignored: number;
  readonly embedding: number;
} = {
  recentUse: 0.8,
  path: 1,
  ignored: -0.5,
  embedding: 4,
};

/** An explicit mention or a declared pattern that matches settles it: more than all other signals together. */
export const CERTAIN = 25;

/** From which probability a skill is activated, and from which it is suggested. */
export const THRESHOLDS: { readonly activate: number; readonly suggest: number } = {
  activate: 0.75,
  suggest: 0.45,
};
