import type { MeasuredQuery } from "./measured-set.ts";
import {
  type Candidate,
  DECISION_WEIGHTS,
  type DecisionWeights,
  evidenceShare,
  type Fused,
  fuseSignals,
  judgedRow,
  type Most,
  mostOf,
  RANK_WEIGHTS,
  type RankWeights,
  RELATED_WEIGHTS,
  type RelatedWeights,
  shareOf,
} from "./product.ts";
import type { SmallQuery } from "./small-libraries.ts";

/** The signals of each sum, in the order of the rows that weights are fitted on. */
const RANKED = Object.keys(RANK_WEIGHTS) as readonly (keyof RankWeights)[];
const RELATED = Object.keys(RELATED_WEIGHTS) as readonly (keyof RelatedWeights)[];
// What examples add was set by hand.
const DECIDED = (Object.keys(DECISION_WEIGHTS) as readonly (keyof DecisionWeights)[]).filter(
  (name) => name !== "example",
);

const STEPS = 120;

/** Few rows, but what they hold goes together: it takes longer until no weight moves any more. */
const DECISION_STEPS = 1500;

/** Candidates come by relevance; those behind add to the time of a fit and nothing to its weights. */
const MAX_RIVALS = 60;
const RATE = 0.08;
const PENALTY = 0.5;

/** Messages of one set, and how much each of them counts. */
export interface Weighed<One> {
  readonly share: number;
  readonly queries: readonly One[];
}

/** Weights under which the wanted skill comes first: a softmax over each message's candidates, with light L2. */
export function fitRankWeights(sets: readonly Weighed<MeasuredQuery>[]): RankWeights {
  const lists = flatten(sets).flatMap(({ query: { measured, target, shouldTrigger }, share }) => {
    const wanted = shouldTrigger ? measured.findIndex(({ skill }) => skill === target) : -1;
    return wanted < 0
      ? []
      : [{ rows: rowsOf(measured, wanted), share, wanted: Math.min(wanted, MAX_RIVALS) }];
  });
  const weights = minimise(RANKED.length, (current, gradient) => {
    for (const { rows, wanted, share } of lists) {
      const scores = rows.map((row) => dot(row, current));
      const most = scores.reduce((left, right) => Math.max(left, right), -1e9);
      const powers = scores.map((score) => Math.exp(score - most));
      const total = powers.reduce((sum, power) => sum + power, 0);
      rows.forEach((row, place) => {
        const error = (powers[place] ?? 0) / total - (place === wanted ? 1 : 0);
        if (Math.abs(error) > 1e-6) addTo(gradient, row, (error * share) / lists.length);
      });
    }
    addTo(gradient, current, (2 * PENALTY) / lists.length);
  });
  return byName(RANKED, weights) as unknown as RankWeights;
}

// The same messages are fitted on again and again.
const ROWS = new WeakMap<readonly Candidate[], readonly Float64Array[]>();

function rowsOf(measured: readonly Candidate[], wanted: number): readonly Float64Array[] {
  const known = ROWS.get(measured);
  if (known !== undefined) return known;
  const most = mostOf(measured);
  const near = measured.filter((_, place) => place < MAX_RIVALS || place === wanted);
  const rows = near.map((signals) => {
    const parts = relativeSignals(signals, most);
    return Float64Array.from(RANKED, (name) => parts[name]);
  });
  ROWS.set(measured, rows);
  return rows;
}

/** All messages; the sets count as they say, however many messages each has. */
function flatten<One>(
  sets: readonly Weighed<One>[],
): readonly { readonly query: One; readonly share: number }[] {
  const all = sets.reduce((sum, { queries }) => sum + queries.length, 0);
  const shares = sets.reduce((sum, { share }) => sum + share, 0);
  return sets.flatMap(({ queries, share }) =>
    queries.map((query) => ({ query, share: ((share / shares) * all) / queries.length })),
  );
}

/** What the ranking multiplies its weights with. */
function relativeSignals(signals: Candidate, most: Most): Readonly<Record<keyof RankWeights, number>> {
  const relevance = shareOf(signals.relevance, most.relevance);
  return {
    ...signals,
    likelihood: shareOf(signals.likelihood, most.likelihood),
    characters: shareOf(signals.characters, most.characters),
    bigrams: shareOf(signals.bigrams, most.bigrams),
    agreement: relevance * signals.coverage,
  };
}

/** A message's skill as it stands in its ranking; undefined where it is no candidate. */
export interface Standing {
  readonly query: MeasuredQuery;
  readonly rank: number;
  readonly fused?: Fused;
  readonly margin: number;
  /** All of its ranking. */
  readonly ranking: readonly Fused[];
}

/** Where each message's skill stands under these weights. */
export function standingsOf(queries: readonly MeasuredQuery[], weights: RankWeights): readonly Standing[] {
  return queries.map((query) => {
    const fused = fuseSignals(query.measured, { weights });
    const place = fused.findIndex(({ candidate }) => candidate.skill === query.target);
    const own = fused[place];
    if (own === undefined) return { query, rank: Number.POSITIVE_INFINITY, margin: 0, ranking: fused };
    const rival = fused[place === 0 ? 1 : 0];
    return { query, rank: place + 1, fused: own, margin: own.score - (rival?.score ?? 0), ranking: fused };
  });
}

/** Weights under which the probability is that of the data: logistic regression by text alone, as most skills come. */
export function fitDecisionWeights(sets: readonly Weighed<Standing>[]): DecisionWeights {
  const rows = flatten(sets).flatMap(({ query: { fused, margin, query }, share }) => {
    if (fused === undefined) return [];
    const row = judgedRow(fused, { margin, size: 1 });
    return {
      row: Float64Array.from(DECIDED, (name) => row[name]),
      share,
      wanted: query.shouldTrigger,
    };
  });
  return { ...fitLogistic(DECIDED, rows), example: DECISION_WEIGHTS.example } as DecisionWeights;
}

interface LogisticRow {
  readonly row: Float64Array;
  readonly share: number;
  readonly wanted: boolean;
  /** What the probability is multiplied with; 1 unless given. */
  readonly evidence?: number;
}

function fitLogistic(names: readonly string[], rows: readonly LogisticRow[]): Record<string, number> {
  const found = minimise(
    names.length,
    (current, gradient) => {
      for (const { row, share, wanted, evidence = 1 } of rows) {
        const likely = 1 / (1 + Math.exp(-dot(row, current)));
        // What `evidence` is held back by takes that much off the error of a message that is about nothing.
        const error = wanted
          ? likely - 1
          : (evidence * likely * (1 - likely)) / Math.max(1e-9, 1 - evidence * likely);
        addTo(gradient, row, (error * share) / rows.length);
      }
      addTo(gradient, current, (2 * PENALTY) / rows.length);
    },
    DECISION_STEPS,
  );
  return byName(names, found);
}

/** A skill that is missed annoys a little more than a line too many. */
const STRANGER_WEIGHT = 0.75;

/** Weights that tell messages about a skill from such as are about none of its library, in libraries of all sizes. */
export function fitRelatedWeights(
  sets: readonly Weighed<SmallQuery>[],
  weights: RankWeights,
): RelatedWeights {
  const rows = flatten(sets).flatMap(({ query, share }) => {
    const one = query.isStranger || query.shouldTrigger ? standingOf(query, weights) : undefined;
    if (one === undefined) return [];
    const row = judgedRow(one, { margin: 0, size: query.size });
    return {
      row: Float64Array.from(RELATED, (name) => row[name]),
      share: query.isStranger ? share * STRANGER_WEIGHT : share,
      wanted: !query.isStranger,
      evidence: evidenceShare(one),
    };
  });
  return fitLogistic(RELATED, rows) as unknown as RelatedWeights;
}

/** The skill that a message is about, or the best where it is about none. */
export function standingOf(query: SmallQuery, weights: RankWeights): Fused | undefined {
  const fused = fuseSignals(query.measured, { weights });
  return query.isStranger ? fused[0] : fused.find(({ candidate }) => candidate.skill === query.target);
}

/** Adam: no line search, and the same numbers on every machine. */
function minimise(
  size: number,
  gradientAt: (weights: Float64Array, gradient: Float64Array) => void,
  steps: number = STEPS,
): Float64Array {
  const weights = new Float64Array(size);
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  for (let step = 1; step <= steps; step += 1) {
    const gradient = new Float64Array(size);
    gradientAt(weights, gradient);
    const rate = RATE * (step < steps * 0.7 ? 1 : 0.2);
    for (let index = 0; index < size; index += 1) {
      const slope = gradient[index] ?? 0;
      mean[index] = 0.9 * (mean[index] ?? 0) + 0.1 * slope;
      square[index] = 0.99 * (square[index] ?? 0) + 0.01 * slope * slope;
      const first = (mean[index] ?? 0) / (1 - 0.9 ** step);
      const second = (square[index] ?? 0) / (1 - 0.99 ** step);
      weights[index] = (weights[index] ?? 0) - (rate * first) / (Math.sqrt(second) + 1e-8);
    }
  }
  return weights;
}

function dot(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1)
    sum += (left[index] as number) * (right[index] as number);
  return sum;
}

function addTo(sum: Float64Array, values: Float64Array, factor: number): void {
  for (let index = 0; index < sum.length; index += 1)
    sum[index] = (sum[index] as number) + factor * (values[index] as number);
}

function byName(names: readonly string[], values: Float64Array): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, Number((values[index] ?? 0).toFixed(3))]));
}
