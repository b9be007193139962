// How much each signal counts; see docs/decisions/2026-11-15-selection.md for how these were fitted.

/** The weights of the ranking. Fitted: listwise softmax with light L2 over two sets, each in libraries of three sizes. */
export const RANK_WEIGHTS = {
  // Of these three, the share of the most that any skill has for the message.
  likelihood: 2.29,
  characters: 1.92,
  bigrams: 1.03,
  coverage: 2.63,
  sentenceCoverage: 1.87,
  nameShare: 0.94,
  nameExact: 0.39,
  phrase: 1.25,
  extension: 1.36,
  // The product of relevance and coverage: much of the message, and where it matters.
  agreement: 2.61,
};
export type RankWeights = Readonly<typeof RANK_WEIGHTS>;

/** By hand, on the scale of scores: who wants Word made into PDF has no use for what makes PDF into Word. */
export const REVERSED_COST = 8;

/** By hand: what others are named after and a skill lacks, it is hardly for. */
export const LACKING_COST = 6;

/** Weights of the probability that the skill is wanted. Fitted: logistic regression on messages that should and should not call it. */
export const DECISION_WEIGHTS = {
  base: -0.297,
  score: 0.128,
  // The lead over the best other skill; negative for one that does not lead.
  margin: 0.167,
  // The share of the message in what the skill says it is not for, and the share that is nowhere else in its header.
  negativeCoverage: -1.243,
  negativeOnly: -4.999,
  // How much of what the message rules out the skill is about, and whether the message asks about a thing instead of for something.
  ruledOut: -5.905,
  question: -2.007,
  // How long its header is, by the usual, on a logarithmic scale: the longer, the more it shares by chance.
  headerLength: -0.378,
  // How much nearer it is to examples that should call the skill. By hand: for the dozen that the sets have, it would be 1.
  example: 2.4,
};
export type DecisionWeights = Readonly<typeof DECISION_WEIGHTS>;

/** Whether a message is about the subject of a skill at all. Fitted: the same on messages about a skill, and about none of a library. */
export const RELATED_WEIGHTS = {
  // By hand: what `evidenceShare` takes from strangers is given back to all.
  base: -3.1,
  coverage: 3.072,
  sentenceCoverage: 5.081,
  characterShare: 0.53,
  // By hand, as it was fitted on public triggers alone: what an author declares is meant.
  phrase: 4.08,
  nameExact: 2.435,
  headerLength: -0.39,
  messageLength: 2.06,
  // How many skills there are, on a logarithmic scale: the best of many has more in common by chance.
  librarySize: 0.366,
};
export type RelatedWeights = Readonly<typeof RELATED_WEIGHTS>;

/** What examples add where they say what a skill is about; set by hand. */
export const SUBJECT_WEIGHT = 3;

/** The sum of what is measured, each by its weight. */
export function weigh<Name extends string>(
  weights: Readonly<Record<Name, number>>,
  row: Readonly<Record<NoInfer<Name>, number>>,
): number {
  let sum = 0;
  for (const name in weights) sum += weights[name] * row[name];
  return sum;
}

/** The weight of the circumstances, on the scale of scores; set by hand, small against the message itself. */
export const PRIOR_WEIGHTS = { recentUse: 0.8, path: 3, namedPath: 4, ignored: -0.5, embedding: 4 };

/** How much of it counts for whether a message is about a skill at all; by hand. */
export const PRIOR_SHARE = 0.3;

/** An explicit mention settles it, and so does a pattern of a trusted author: more than all other signals together. */
export const CERTAIN = 25;

/** Added for any other pattern: it helps a skill that fits anyway, and never activates one by itself. */
export const PATTERN_BONUS = 4;

// Of what else seems sure after the first, one in five is wanted: it takes a mention or a pattern to activate it as well.
export const THRESHOLDS = { activate: 0.77, activateBeside: 0.99, suggest: 0.43 };
