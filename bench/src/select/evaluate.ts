import {
  fitDecisionWeights,
  fitRankWeights,
  fitRelatedWeights,
  standingOf,
  standingsOf,
} from "./fit-weights.ts";
import type { MeasuredSet } from "./measured-set.ts";
import { rankMetrics } from "./metrics.ts";
import {
  DECISION_WEIGHTS,
  type DecisionWeights,
  type Fused,
  fuseSignals,
  judgeProbability,
  MAX_ASKED,
  RANK_WEIGHTS,
  type RankWeights,
  RELATED_WEIGHTS,
  type RelatedWeights,
  THRESHOLDS,
} from "./product.ts";
import { EVERYDAY, type SmallQuery } from "./small-libraries.ts";
import type { Query } from "./trigger-set.ts";

const FOLDS = 5;
const INNER_FOLDS = 3;

/** How much the first set, the second one and so on may count: which, is chosen by the set that is worst off. */
const MIXES: readonly (readonly number[])[] = [
  [1, 1],
  [1, 2],
  [2, 1],
];

/** A set with everything that weights are fitted on. */
export interface EvaluatedSet {
  readonly whole: MeasuredSet;
  /** The same messages in smaller libraries: shares of the most depend on who else is there. */
  readonly pools: readonly MeasuredSet[];
  readonly small: readonly SmallQuery[];
  /** The whole set with sample messages, where there are any; judged by the weights that are fitted without them. */
  readonly enriched?: MeasuredSet;
  /** By message's id: where plain BM25 has its skill. No weights may fall below that. */
  readonly guard: ReadonlyMap<string, number>;
}

/** What became of a message: where its skill stands, and how likely it is held to be wanted. */
export interface Outcome {
  readonly query: Query;
  /** From 1; Infinity where it was not found. */
  readonly rank: number;
  readonly probability: number;
  /** The qualified names of the first skills, and how likely the very first is held to be wanted. */
  readonly top: readonly string[];
  readonly topProbability: number;
}

/** All the weights of a selector. */
interface Weights {
  readonly rank: RankWeights;
  readonly decision: DecisionWeights;
  readonly related: RelatedWeights;
}

const SHIPPED: Weights = { rank: RANK_WEIGHTS, decision: DECISION_WEIGHTS, related: RELATED_WEIGHTS };

/** By set: what became of its messages, and of those in small libraries. */
export type Outcomes = readonly {
  readonly whole: readonly Outcome[];
  readonly small: readonly SmallOutcome[];
  readonly enriched: readonly Outcome[];
}[];

/** With the weights that ship, or with others. */
export function evaluateShipped(sets: readonly EvaluatedSet[], weights: Weights = SHIPPED): Outcomes {
  return sets.map(({ whole, small, enriched }) => ({
    whole: judgeAll(whole, weights),
    small: judgeSmall(small, weights),
    enriched: enriched === undefined ? [] : judgeAll(enriched, weights),
  }));
}

/**
 * Cross-validated by author: every message is judged by weights that saw nothing of the authors of its skill, in any set, and
 * how much each set counts was chosen without them as well.
 */
export function crossValidate(sets: readonly EvaluatedSet[]): Outcomes {
  const foldOf = createFolds(sets, FOLDS);
  const judged = Array.from({ length: FOLDS }, (_, held) => {
    const weights = fitWeights(sets.map((set) => keep(set, (query) => foldOf(query) !== held)));
    return evaluateShipped(
      sets.map((set) => keep(set, (query) => foldOf(query) === held)),
      weights,
    );
  });
  return sets.map(({ whole: { queries } }, at) => {
    const order = new Map(queries.map(({ id }, place) => [id, place]));
    const placeOf = ({ query }: Outcome): number => order.get(query.id) ?? 0;
    const inOrder = (key: "whole" | "enriched"): readonly Outcome[] =>
      judged.flatMap((one) => one[at]?.[key] ?? []).sort((left, right) => placeOf(left) - placeOf(right));
    return {
      whole: inOrder("whole"),
      small: judged.flatMap((one) => one[at]?.small ?? []),
      enriched: inOrder("enriched"),
    };
  });
}

/** Fits all weights; how much each set counts is chosen by the one that gains least over plain BM25. */
export function fitWeights(sets: readonly EvaluatedSet[]): Weights {
  const mixes = sets.length === 1 ? [[1]] : MIXES;
  const foldOf = createFolds(sets, INNER_FOLDS);
  const [best] = mixes
    .map((mix) => ({ mix, gain: leastGain(sets, { mix, foldOf }) }))
    .sort((left, right) => right.gain - left.gain);
  return fitMixed(sets, best?.mix ?? []);
}

/** By how much the set that gains least is above plain BM25 under a mix, cross-validated once more. */
function leastGain(
  sets: readonly EvaluatedSet[],
  { mix, foldOf }: { readonly mix: readonly number[]; readonly foldOf: (query: Query) => number },
): number {
  const folds = Array.from({ length: INNER_FOLDS }, (_, held) =>
    fitRank(
      sets.map((set) => ({ ...keep(set, (query) => foldOf(query) !== held), pools: [] })),
      mix,
    ),
  );
  const gains = sets.map(({ whole, guard }) => {
    const asked = whole.queries.filter(({ shouldTrigger }) => shouldTrigger);
    const ranks = folds.flatMap((rank, held) =>
      standingsOf(
        asked.filter((query) => foldOf(query) === held),
        rank,
      ).map((one) => one.rank),
    );
    const guards = asked.map(({ id }) => guard.get(id) ?? Number.POSITIVE_INFINITY);
    return rankMetrics(ranks).mrr - rankMetrics(guards).mrr;
  });
  return Math.min(...gains);
}

function fitRank(sets: readonly EvaluatedSet[], mix: readonly number[]): RankWeights {
  return fitRankWeights(
    sets.map(({ whole, pools }, at) => ({
      share: mix[at] ?? 1,
      queries: [whole, ...pools].flatMap(({ queries }) => queries),
    })),
  );
}

function fitMixed(sets: readonly EvaluatedSet[], mix: readonly number[]): Weights {
  const rank = fitRank(sets, mix);
  const decision = fitDecisionWeights(
    sets.map(({ whole, pools }, at) => ({
      share: mix[at] ?? 1,
      queries: [whole, ...pools].flatMap(({ queries }) => standingsOf(queries, rank)),
    })),
  );
  const related = fitRelatedWeights(
    sets.map(({ whole, pools, small }, at) => ({
      share: mix[at] ?? 1,
      queries: [
        ...[whole, ...pools].flatMap(({ queries, size }) =>
          queries.map((query) => ({ ...query, size, isStranger: false })),
        ),
        ...small,
      ],
    })),
    rank,
  );
  return { rank, decision, related };
}

function keep(set: EvaluatedSet, isKept: (query: Query) => boolean): EvaluatedSet {
  const some = (one: MeasuredSet): MeasuredSet => ({ ...one, queries: one.queries.filter(isKept) });
  return {
    ...set,
    whole: some(set.whole),
    pools: set.pools.map(some),
    small: set.small.filter(isKept),
    ...(set.enriched && { enriched: some(set.enriched) }),
  };
}

/** Authors in turn, the ones with most messages first, so that folds are about as large. */
function createFolds(sets: readonly EvaluatedSet[], count: number): (query: Query) => number {
  const counts = new Map<string, number>();
  for (const { whole } of sets)
    for (const query of whole.queries) counts.set(authorOf(query), (counts.get(authorOf(query)) ?? 0) + 1);
  const sorted = [...counts].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1));
  const folds = new Map(sorted.map(([author], index) => [author, index % count]));
  // An everyday message has no author: it is one of its own.
  const letters = (text: string): number => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return (query) => folds.get(authorOf(query)) ?? letters(query.repository) % count;
}

function authorOf({ repository }: Query): string {
  return repository.split("/")[0]?.toLowerCase() ?? "";
}

function judgeAll(
  { queries, size, names }: MeasuredSet,
  { rank, decision, related }: Weights,
): readonly Outcome[] {
  const judge = (fused: Fused | undefined, margin: number): number =>
    fused === undefined
      ? 0
      : judgeProbability(fused, { margin, size, weights: decision, relatedWeights: related });
  return standingsOf(queries, rank).map(({ query, rank: place, fused, margin, ranking }) => ({
    query,
    rank: place,
    probability: judge(fused, margin),
    top: ranking.slice(0, MAX_ASKED).map(({ candidate }) => names[candidate.skill] ?? ""),
    topProbability: judge(ranking[0], (ranking[0]?.score ?? 0) - (ranking[1]?.score ?? 0)),
  }));
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
  /** Of everyday messages, which are about nothing at all; NaN where none were given. */
  readonly everydaySuggested: number;
}

export function summariseSmall(outcomes: readonly SmallOutcome[]): readonly SmallLibrary[] {
  const sizes = new Set(outcomes.map(({ query }) => query.size));
  return [...sizes].map((size) => {
    const here = outcomes.filter(({ query }) => query.size === size);
    const everyday = here.filter(({ query }) => query.style === EVERYDAY);
    const own = here.filter(({ query }) => !query.isStranger && query.shouldTrigger);
    const strangers = here.filter(({ query }) => query.isStranger && query.style !== EVERYDAY);
    const shareOf = (some: readonly SmallOutcome[], test: (one: SmallOutcome) => boolean): number =>
      some.filter(test).length / some.length;
    const isSuggested = ({ probability }: SmallOutcome): boolean => probability >= THRESHOLDS.suggest;
    const isActivated = ({ probability }: SmallOutcome): boolean => probability >= THRESHOLDS.activate;
    return {
      size,
      hitAt1: shareOf(own, ({ isFirst }) => isFirst),
      suggested: shareOf(own, isSuggested),
      activated: shareOf(own, isActivated),
      strangersSuggested: shareOf(strangers, isSuggested),
      strangersActivated: shareOf(strangers, isActivated),
      everydaySuggested: shareOf(everyday, isSuggested),
    };
  });
}
