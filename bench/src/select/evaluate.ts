import {
  examplesOf,
  fitDecisionWeights,
  fitRankWeights,
  fitRelatedWeights,
  type Standing,
  standingOf,
  standingsOf,
} from "./fit-weights.ts";
import type { MeasuredQuery, MeasuredSet } from "./measured-set.ts";
import {
  type BinaryMetrics,
  bestThreshold,
  binaryMetrics,
  bootstrapInterval,
  type Judged,
  type RankMetrics,
  rankMetrics,
  sureThreshold,
} from "./metrics.ts";
import {
  DECISION_WEIGHTS,
  type DecisionWeights,
  fuseSignals,
  judgeProbability,
  type Nearness,
  RANK_WEIGHTS,
  RANKED,
  type RankWeights,
  RELATED_WEIGHTS,
  type RelatedWeights,
  THRESHOLDS,
} from "./product.ts";
import { SMALL_SIZES, type SmallQuery } from "./small-libraries.ts";

const FOLDS = 5;
const SURE_PRECISION = 0.9;

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

/** All the weights of a selector. */
interface Weights {
  readonly rank: RankWeights;
  readonly decision: DecisionWeights;
  readonly related: RelatedWeights;
}

const SHIPPED: Weights = { rank: RANK_WEIGHTS, decision: DECISION_WEIGHTS, related: RELATED_WEIGHTS };

/** What became of the messages of a set, and of those in small libraries. */
export interface Outcomes {
  readonly whole: readonly Outcome[];
  readonly small: readonly SmallOutcome[];
}

/** With the weights that ship. */
export function evaluateShipped(set: MeasuredSet, small: readonly SmallQuery[]): Outcomes {
  return { whole: judgeAll(set, SHIPPED), small: judgeSmall(small, SHIPPED) };
}

/** Cross-validated by repository: every message is judged by weights that saw nothing of its repository. */
export function crossValidate(
  set: MeasuredSet,
  options: {
    readonly pools?: readonly MeasuredSet[];
    readonly used?: readonly (keyof RankWeights)[];
    readonly small?: readonly SmallQuery[];
  } = {},
): Outcomes {
  const { pools = [set], used = RANKED, small = [] } = options;
  const fold = foldsOf(set.queries);
  const folds = Array.from({ length: FOLDS }, (_, held) => {
    const isTrained = ({ repository }: MeasuredQuery): boolean => fold.get(repository) !== held;
    const trained = (one: MeasuredSet): MeasuredSet => ({ ...one, queries: one.queries.filter(isTrained) });
    const weights = fitWeights(pools.map(trained), {
      small: small.filter(isTrained),
      used,
    });
    const isTested = (query: MeasuredQuery): boolean => !isTrained(query);
    return {
      whole: judgeAll({ ...set, queries: set.queries.filter(isTested) }, weights),
      small: judgeSmall(small.filter(isTested), weights),
    };
  });
  return { whole: folds.flatMap(({ whole }) => whole), small: folds.flatMap((one) => one.small) };
}

/** Fits all weights on pools of several sizes, relatedness on small libraries too. */
export function fitWeights(
  pools: readonly MeasuredSet[],
  options: {
    readonly small: readonly SmallQuery[];
    readonly used?: readonly (keyof RankWeights)[];
  },
): Weights {
  const { small, used = RANKED } = options;
  const rank = fitRankWeights(
    pools.flatMap(({ queries }) => queries),
    used,
  );
  const judged = pools.map(({ queries }) => {
    const standings = standingsOf(queries, rank);
    return { standings, examples: examplesOf(standings) };
  });
  return {
    rank,
    decision: fitDecisionWeights(
      judged.flatMap(({ standings }) => standings),
      judged.flatMap(({ examples }) => examples),
    ),
    related: small.length === 0 ? RELATED_WEIGHTS : fitRelatedWeights(pools, small, rank),
  };
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

/** The thresholds of best F1 and of a precision of nine in ten, for choosing those that ship. */
export function thresholdsOf(outcomes: readonly Outcome[]): {
  readonly plain: number;
  readonly withExamples: number;
  readonly sure: { readonly threshold: number; readonly recall: number };
  readonly sureWithExamples: { readonly threshold: number; readonly recall: number };
} {
  const sure = (of: (outcome: Outcome) => number): { readonly threshold: number; readonly recall: number } =>
    sureThreshold(
      outcomes.map((outcome) => ({ score: of(outcome), shouldTrigger: outcome.query.shouldTrigger })),
      SURE_PRECISION,
    );
  const best = (of: (outcome: Outcome) => number): number =>
    bestThreshold(
      outcomes.map((outcome) => ({ score: of(outcome), shouldTrigger: outcome.query.shouldTrigger })),
    );
  return {
    plain: best(({ probability }) => probability),
    withExamples: best(({ probabilityWithExamples }) => probabilityWithExamples),
    sure: sure(({ probability }) => probability),
    sureWithExamples: sure(({ probabilityWithExamples }) => probabilityWithExamples),
  };
}

function judgeAll(set: MeasuredSet, { rank, decision, related }: Weights): readonly Outcome[] {
  const standings = standingsOf(set.queries, rank);
  const examples = examplesOf(standings);
  return standings.map((standing, index) => {
    const { fused, margin } = standing;
    const judge = (nearness: Nearness | undefined): number =>
      fused === undefined
        ? 0
        : judgeProbability(fused, {
            margin,
            size: set.size,
            nearness,
            weights: decision,
            relatedWeights: related,
          });
    return { ...standing, probability: judge(undefined), probabilityWithExamples: judge(examples[index]) };
  });
}

/** What a small library made of a message: of its own skill, or of the best where it is about none. */
export interface SmallOutcome {
  readonly query: SmallQuery;
  readonly isFirst: boolean;
  readonly probability: number;
}

function judgeSmall(queries: readonly SmallQuery[], weights: Weights): readonly SmallOutcome[] {
  return queries.map((query) => {
    const fused = fuseSignals(query.measured, { weights: weights.rank });
    const one = standingOf(query, weights.rank);
    const isFirst = one?.candidate === fused[0]?.candidate;
    if (one === undefined) return { query, isFirst: false, probability: 0 };
    const rival = fused[isFirst ? 1 : 0];
    const probability = judgeProbability(one, {
      margin: one.score - (rival?.score ?? 0),
      size: query.size,
      weights: weights.decision,
      relatedWeights: weights.related,
    });
    return { query, isFirst, probability };
  });
}

/** What small libraries make of their own messages and of such as are about none of their skills. */
export interface SmallLibrary {
  readonly size: number;
  readonly hitAt1: number;
  /** Of messages that should call their skill. */
  readonly suggested: number;
  readonly activated: number;
  /** Of messages about nothing in the library. */
  readonly strangersSuggested: number;
  readonly strangersActivated: number;
}

export function summariseSmall(outcomes: readonly SmallOutcome[]): readonly SmallLibrary[] {
  return SMALL_SIZES.map((size) => {
    const here = outcomes.filter(({ query }) => query.size === size);
    const own = here.filter(({ query }) => !query.isStranger && query.shouldTrigger);
    const strangers = here.filter(({ query }) => query.isStranger);
    const shareOf = (some: readonly SmallOutcome[], test: (one: SmallOutcome) => boolean): number =>
      some.filter(test).length / (some.length || 1);
    const isSuggested = ({ probability }: SmallOutcome): boolean => probability >= THRESHOLDS.suggest;
    const isActivated = ({ probability }: SmallOutcome): boolean => probability >= THRESHOLDS.activate;
    return {
      size,
      hitAt1: shareOf(own, ({ isFirst }) => isFirst),
      suggested: shareOf(own, isSuggested),
      activated: shareOf(own, isActivated),
      strangersSuggested: shareOf(strangers, isSuggested),
      strangersActivated: shareOf(strangers, isActivated),
    };
  });
}

/** Repositories in turn, the ones with most messages first, so that folds are about as large. */
function foldsOf(queries: readonly MeasuredQuery[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { repository } of queries) counts.set(repository, (counts.get(repository) ?? 0) + 1);
  const sorted = [...counts].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1));
  return new Map(sorted.map(([repository], index) => [repository, index % FOLDS]));
}
