import type { MeasuredQuery, MeasuredSet } from "./measured-set.ts";
import {
  DECIDED,
  DECISION_WEIGHTS,
  type DecisionWeights,
  decisionRow,
  type ExampleEvidence,
  ExampleTable,
  type Fused,
  fuseSignals,
  mostOf,
  RANKED,
  type RankWeights,
  relativeSignals,
} from "./product.ts";

const STEPS = 200;

/** Candidates come by relevance; those behind add to the time of a fit and nothing to its weights. */
const MAX_RIVALS = 60;
const RATE = 0.08;
const PENALTY = 0.5;

/** Weights under which the wanted skill comes first: a softmax over each message's candidates, with light L2. */
export function fitRankWeights(
  queries: readonly MeasuredQuery[],
  used: readonly (keyof RankWeights)[] = RANKED,
): RankWeights {
  const lists = queries.flatMap(({ measured, target, shouldTrigger }) => {
    const wanted = measured.findIndex(({ candidate }) => candidate.skill === target);
    if (!shouldTrigger || wanted < 0) return [];
    const most = mostOf(measured);
    const near = measured.filter((_, place) => place < MAX_RIVALS || place === wanted);
    const rows = near.map(({ signals }) => {
      const parts = relativeSignals(signals, most);
      return Float64Array.from(used, (name) => parts[name]);
    });
    return [{ rows, wanted: Math.min(wanted, MAX_RIVALS) }];
  });
  const weights = minimise(used.length, (current, gradient) => {
    for (const { rows, wanted } of lists) {
      const scores = rows.map((row) => dot(row, current));
      const most = scores.reduce((left, right) => Math.max(left, right), -1e9);
      const powers = scores.map((score) => Math.exp(score - most));
      const total = powers.reduce((sum, power) => sum + power, 0);
      rows.forEach((row, place) => {
        const error = (powers[place] ?? 0) / total - (place === wanted ? 1 : 0);
        if (Math.abs(error) > 1e-6) addTo(gradient, row, error / lists.length);
      });
    }
    addTo(gradient, current, (2 * PENALTY) / lists.length);
  });
  return byName(used, weights) as unknown as RankWeights;
}

/** A message's skill as it stands in its ranking; undefined where it is no candidate. */
export interface Standing {
  readonly query: MeasuredQuery;
  readonly rank: number;
  readonly fused?: Fused;
  readonly margin: number;
}

/** Where each message's skill stands under these weights. */
export function standingsOf(queries: readonly MeasuredQuery[], weights: RankWeights): readonly Standing[] {
  return queries.map((query) => {
    const fused = fuseSignals(query.measured, { weights });
    const place = fused.findIndex(({ candidate }) => candidate.skill === query.target);
    const own = fused[place];
    if (own === undefined) return { query, rank: Number.POSITIVE_INFINITY, margin: 0 };
    const rival = fused[place === 0 ? 1 : 0];
    return { query, rank: place + 1, fused: own, margin: own.score - (rival?.score ?? 0) };
  });
}

/** What the other messages of the same skill say about each, as an author's examples would. */
export function examplesOf(
  standings: readonly Standing[],
  rarityOf: MeasuredSet["rarityOf"],
): readonly ExampleEvidence[] {
  const scores = new Map(standings.map(({ query, fused }) => [query.text, fused?.score ?? 0]));
  return standings.map(({ query }) => {
    const examples = standings
      .filter(({ query: other }) => other.skill === query.skill && other !== query)
      .map(({ query: { text, shouldTrigger } }) => ({ message: text, shouldTrigger }));
    const scoreOf = (text: string): number => scores.get(text) ?? 0;
    return new ExampleTable(examples, { scoreOf, rarityOf }).evidenceFor(query.text);
  });
}

/** Weights under which the probability is that of the data: logistic regression, each message with and without examples. */
export function fitDecisionWeights(
  standings: readonly Standing[],
  examples: readonly ExampleEvidence[],
): DecisionWeights {
  const rows = standings.flatMap(({ fused, margin, query }, index) => {
    if (fused === undefined) return [];
    return [undefined, examples[index]].map((evidence) => {
      const row = decisionRow(fused, { margin, examples: evidence });
      return {
        row: Float64Array.from([1, ...DECIDED.map((name) => row[name])]),
        wanted: query.shouldTrigger ? 1 : 0,
      };
    });
  });
  const weights = minimise(DECIDED.length + 1, (current, gradient) => {
    for (const { row, wanted } of rows)
      addTo(gradient, row, (1 / (1 + Math.exp(-dot(row, current))) - wanted) / rows.length);
    addTo(gradient, current, (2 * PENALTY) / rows.length);
  });
  return { ...DECISION_WEIGHTS, ...byName(["base", ...DECIDED], weights) };
}

/** Adam: no line search, and the same numbers on every machine. */
function minimise(
  size: number,
  gradientAt: (weights: Float64Array, gradient: Float64Array) => void,
): Float64Array {
  const weights = new Float64Array(size);
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = new Float64Array(size);
    gradientAt(weights, gradient);
    const rate = RATE * (step < STEPS * 0.7 ? 1 : 0.2);
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
  const all = Object.fromEntries(RANKED.map((name) => [name, 0]));
  const isRank = names.every((name) => name in all);
  const own = Object.fromEntries(names.map((name, index) => [name, Number((values[index] ?? 0).toFixed(3))]));
  return isRank ? { ...all, ...own } : own;
}
