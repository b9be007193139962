import type { MeasuredQuery, MeasuredSet } from "./measured-set.ts";
import {
  DECIDED,
  type DecisionWeights,
  decisionRow,
  ExampleTable,
  type Fused,
  fuseSignals,
  type Measured,
  type Most,
  mostOf,
  type Nearness,
  RANKED,
  type RankWeights,
  RELATED,
  type RelatedWeights,
  relatedRow,
  shareOf,
} from "./product.ts";
import type { SmallQuery } from "./small-libraries.ts";

const STEPS = 200;

/** Few rows, but what they hold goes together: it takes longer until no weight moves any more. */
const DECISION_STEPS = 1500;

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

/** What the ranking multiplies its weights with. */
function relativeSignals(
  signals: Measured["signals"],
  most: Most,
): Readonly<Record<keyof RankWeights, number>> {
  const relevance = shareOf(signals.relevance, most.relevance);
  return {
    ...signals,
    relevance,
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
export function examplesOf(standings: readonly Standing[]): readonly Nearness[] {
  return standings.map(({ query }) => {
    const examples = standings
      .filter(({ query: other }) => other.skill === query.skill && other !== query)
      .map(({ query: { text, shouldTrigger } }) => ({ message: text, shouldTrigger }));
    return new ExampleTable(examples).nearnessOf(query.text);
  });
}

/**
 * Weights under which the probability is that of the data: logistic regression, first by text alone, as most skills come,
 * then what examples add to that.
 */
export function fitDecisionWeights(
  standings: readonly Standing[],
  examples: readonly Nearness[],
): DecisionWeights {
  const textWeights = fitLogistic(standings, { names: BY_TEXT, evidence: [], known: NOTHING_KNOWN });
  const known: DecisionWeights = { ...NOTHING_KNOWN, ...textWeights };
  return { ...known, ...fitLogistic(standings, { names: BY_EXAMPLES, evidence: examples, known }) };
}

type DecisionName = (typeof DECIDED)[number];
const BY_EXAMPLES: readonly DecisionName[] = ["example"];
const BY_TEXT: readonly (DecisionName | "base")[] = [
  "base",
  ...DECIDED.filter((name) => !BY_EXAMPLES.includes(name)),
];
const NOTHING_KNOWN = Object.fromEntries(
  ["base", ...DECIDED].map((name) => [name, 0]),
) as unknown as DecisionWeights;

function fitLogistic(
  standings: readonly Standing[],
  options: {
    readonly names: readonly (DecisionName | "base")[];
    readonly evidence: readonly Nearness[];
    /** What is added in any case. */
    readonly known: DecisionWeights;
  },
): Partial<DecisionWeights> {
  const { names, evidence, known } = options;
  const rows = standings.flatMap(({ fused, margin, query }, index) => {
    if (fused === undefined) return [];
    const all = { ...decisionRow(fused, { margin, nearness: evidence[index] }), base: 1 };
    const offset = (["base", ...DECIDED] as const).reduce((sum, name) => sum + known[name] * all[name], 0);
    return [
      { row: Float64Array.from(names, (name) => all[name]), offset, wanted: query.shouldTrigger ? 1 : 0 },
    ];
  });
  const weights = minimise(
    names.length,
    (current, gradient) => {
      for (const { row, offset, wanted } of rows)
        addTo(gradient, row, (1 / (1 + Math.exp(-offset - dot(row, current))) - wanted) / rows.length);
      addTo(gradient, current, (2 * PENALTY) / rows.length);
    },
    DECISION_STEPS,
  );
  return byName(names, weights);
}

/** A skill that is missed annoys more than a line too many. */
const STRANGER_WEIGHT = 0.5;

/** Weights that tell messages about a skill from such as are about none of its library, in libraries of all sizes. */
export function fitRelatedWeights(
  sets: readonly Pick<MeasuredSet, "queries" | "size">[],
  small: readonly SmallQuery[],
  weights: RankWeights,
): RelatedWeights {
  const about = sets.flatMap(({ queries, size }) =>
    queries
      .filter(({ shouldTrigger }) => shouldTrigger)
      .map((query) => ({ ...query, size, isStranger: false })),
  );
  const rows = [...about, ...small.filter((query) => query.isStranger || query.shouldTrigger)].flatMap(
    (query) => {
      const one = standingOf(query, weights);
      if (one === undefined) return [];
      const row = relatedRow(one.signals, query.size);
      return [
        {
          row: Float64Array.from([1, ...RELATED.map((name) => row[name])]),
          wanted: query.isStranger ? 0 : 1,
        },
      ];
    },
  );
  const found = minimise(
    RELATED.length + 1,
    (current, gradient) => {
      for (const { row, wanted } of rows)
        addTo(
          gradient,
          row,
          ((1 / (1 + Math.exp(-dot(row, current))) - wanted) * (wanted === 0 ? STRANGER_WEIGHT : 1)) /
            rows.length,
        );
      addTo(gradient, current, (2 * PENALTY) / rows.length);
    },
    DECISION_STEPS,
  );
  return byName(["base", ...RELATED], found) as unknown as RelatedWeights;
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
  const all = Object.fromEntries(RANKED.map((name) => [name, 0]));
  const isRank = names.every((name) => name in all) && !names.includes("base");
  const own = Object.fromEntries(names.map((name, index) => [name, Number((values[index] ?? 0).toFixed(3))]));
  return isRank ? { ...all, ...own } : own;
}
