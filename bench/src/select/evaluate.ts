import { examplesOf, fitDecisionWeights, fitRankWeights, type Standing, standingsOf } from "./fit-weights.ts";
import type { MeasuredQuery, MeasuredSet } from "./measured-set.ts";
import {
  type BinaryMetrics,
  bestThreshold,
  binaryMetrics,
  bootstrapInterval,
  type Judged,
  type RankMetrics,
  rankMetrics,
} from "./metrics.ts";
import {
  DECISION_WEIGHTS,
  type DecisionWeights,
  type ExampleEvidence,
  judgeProbability,
  RANK_WEIGHTS,
  RANKED,
  type RankWeights,
  THRESHOLDS,
} from "./product.ts";

const FOLDS = 5;

/** What is reported of one set of weights. */
export interface Evaluation extends RankMetrics {
  readonly queries: number;
  readonly hitAt1Interval: readonly [number, number];
  /** With the skill's text alone, at the threshold that suggestions have. */
  readonly binary: BinaryMetrics;
  /** With each skill's other messages as its author's examples. */
  readonly binaryWithExamples: BinaryMetrics;
  readonly languages: Readonly<Record<string, RankMetrics & { readonly queries: number }>>;
}

/** A message's standing with the probabilities that it was given. */
export interface Outcome extends Standing {
  readonly probability: number;
  readonly probabilityWithExamples: number;
}

/** With the weights that ship. */
export function evaluateShipped(set: MeasuredSet): readonly Outcome[] {
  return judgeAll(standingsOf(set.queries, RANK_WEIGHTS), set.rarityOf, DECISION_WEIGHTS);
}

/** Cross-validated by repository: every message is judged by weights that saw nothing of its repository. */
export function crossValidate(
  set: MeasuredSet,
  options: { readonly pools?: readonly MeasuredSet[]; readonly used?: readonly (keyof RankWeights)[] } = {},
): readonly Outcome[] {
  const { pools = [set], used = RANKED } = options;
  const fold = foldsOf(set.queries);
  return Array.from({ length: FOLDS }, (_, held) => {
    const isTrained = ({ repository }: MeasuredQuery): boolean => fold.get(repository) !== held;
    const weights = fitRankWeights(
      pools.flatMap(({ queries }) => queries.filter(isTrained)),
      used,
    );
    const trained = standingsOf(set.queries.filter(isTrained), weights);
    const decision = fitDecisionWeights(trained, examplesOf(trained, set.rarityOf));
    const tested = set.queries.filter((query) => !isTrained(query));
    return judgeAll(standingsOf(tested, weights), set.rarityOf, decision);
  }).flat();
}

export function summarise(outcomes: readonly Outcome[], random: () => number): Evaluation {
  const wanted = outcomes.filter(({ query }) => query.shouldTrigger);
  const judged = (of: (outcome: Outcome) => number): readonly Judged[] =>
    outcomes.map((outcome) => ({ score: of(outcome), shouldTrigger: outcome.query.shouldTrigger }));
  const languages = [...new Set(wanted.map(({ query }) => query.language))].sort();
  const withExamples = judged(({ probabilityWithExamples }) => probabilityWithExamples);
  return {
    queries: outcomes.length,
    ...rankMetrics(wanted.map(({ rank }) => rank)),
    hitAt1Interval: bootstrapInterval(
      wanted.map(({ query, rank }) => ({ group: query.repository, value: rank === 1 ? 1 : 0 })),
      random,
    ),
    binary: binaryMetrics(
      judged(({ probability }) => probability),
      THRESHOLDS.suggest,
    ),
    binaryWithExamples: binaryMetrics(withExamples, THRESHOLDS.suggest),
    languages: Object.fromEntries(
      languages.map((language) => {
        const own = wanted.filter(({ query }) => query.language === language);
        return [language, { queries: own.length, ...rankMetrics(own.map(({ rank }) => rank)) }];
      }),
    ),
  };
}

/** The thresholds of best F1, for choosing those that ship. */
export function thresholdsOf(outcomes: readonly Outcome[]): {
  readonly plain: number;
  readonly withExamples: number;
} {
  const best = (of: (outcome: Outcome) => number): number =>
    bestThreshold(
      outcomes.map((outcome) => ({ score: of(outcome), shouldTrigger: outcome.query.shouldTrigger })),
    );
  return {
    plain: best(({ probability }) => probability),
    withExamples: best(({ probabilityWithExamples }) => probabilityWithExamples),
  };
}

function judgeAll(
  standings: readonly Standing[],
  rarityOf: MeasuredSet["rarityOf"],
  weights: DecisionWeights,
): readonly Outcome[] {
  const examples = examplesOf(standings, rarityOf);
  return standings.map((standing, index) => {
    const judge = (evidence: ExampleEvidence | undefined): number =>
      standing.fused === undefined
        ? 0
        : judgeProbability(standing.fused, { margin: standing.margin, examples: evidence, weights });
    return { ...standing, probability: judge(undefined), probabilityWithExamples: judge(examples[index]) };
  });
}

/** Repositories in turn, the ones with most messages first, so that folds are about as large. */
function foldsOf(queries: readonly MeasuredQuery[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { repository } of queries) counts.set(repository, (counts.get(repository) ?? 0) + 1);
  const sorted = [...counts].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1));
  return new Map(sorted.map(([repository], index) => [repository, index % FOLDS]));
}
