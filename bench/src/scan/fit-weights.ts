import { createHash } from "node:crypto";
import { type SkillWeights, scoreSigns } from "../../../packages/scan/src/verdict/weigh-skill.ts";

/** A labelled skill, as what is weighed in it. */
export interface SignedRow {
  readonly set: string;
  /** Rows that are never split between folds: an attack and its twin, near copies. */
  readonly group: string;
  readonly isAttack: boolean;
  /** The worst that the rules say. */
  readonly worst: "critical" | "warn" | "info";
  readonly signs: ReadonlyMap<string, number>;
}

interface Fitted {
  readonly base: number;
  readonly weights: Readonly<Record<string, number>>;
}

const PENALTY = 0.5;
const STEPS = 12;
const ROUNDS = 60;
/** A sign of fewer rows tells about those rows. */
const MIN_ROWS = 8;

/** Logistic regression with L2 by Newton's method: the same rows give the same weights. */
export function fitWeights(rows: readonly SignedRow[]): Fitted {
  const counts = new Map<string, number>();
  for (const { signs } of rows)
    for (const name of signs.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = Array.from(counts.keys())
    .filter((name) => (counts.get(name) ?? 0) >= MIN_ROWS)
    .sort();
  const place = new Map(names.map((name, at) => [name, at]));
  const matrix = rows.map(({ signs, isAttack, set }): MatrixRow => {
    const known = Array.from(signs).filter(([name]) => place.has(name));
    return {
      columns: Int32Array.from([...known.map(([name]) => place.get(name) ?? 0), names.length]),
      values: Float64Array.from([...known.map(([, value]) => value), 1]),
      isAttack,
      share: shareOf(set),
    };
  });
  const solution = newton(matrix, names.length + 1);
  return {
    base: solution[names.length] ?? 0,
    weights: Object.fromEntries(names.map((name, at) => [name, solution[at] ?? 0])),
  };
}

/** What a row has, and where; the last column is the base. */
interface MatrixRow {
  readonly columns: Int32Array;
  readonly values: Float64Array;
  readonly isAttack: boolean;
  readonly share: number;
}

function newton(matrix: readonly MatrixRow[], size: number): Float64Array {
  const solution = new Float64Array(size);
  for (let step = 0; step < STEPS; step++) {
    const gradient = held(solution);
    const bends = matrix.map((row) => {
      const chance = 1 / (1 + Math.exp(-dot(row, solution)));
      addTo(gradient, row, row.share * (chance - (row.isAttack ? 1 : 0)));
      return row.share * chance * (1 - chance) + 1e-6;
    });
    const move = solve(gradient, (direction) => {
      const product = held(direction);
      matrix.forEach((row, at) => {
        addTo(product, row, (bends[at] ?? 0) * dot(row, direction));
      });
      return product;
    });
    for (let at = 0; at < size; at++) solution[at] = (solution[at] ?? 0) - (move[at] ?? 0);
    if (move.every((one) => Math.abs(one) < 1e-4)) break;
  }
  return solution;
}

/** The pull of the penalty, which leaves the base alone. */
function held(solution: Float64Array): Float64Array {
  const pull = solution.map((value) => value * PENALTY);
  pull[pull.length - 1] = 0;
  return pull;
}

function dot({ columns, values }: MatrixRow, vector: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < columns.length; at++)
    sum += (values[at] as number) * (vector[columns[at] as number] as number);
  return sum;
}

function addTo(vector: Float64Array, { columns, values }: MatrixRow, factor: number): void {
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at] as number;
    vector[column] = (vector[column] as number) + factor * (values[at] as number);
  }
}

/** Conjugate gradients, since the matrix is positive definite and nearly empty. */
function solve(right: Float64Array, multiply: (vector: Float64Array) => Float64Array): Float64Array {
  const result = new Float64Array(right.length);
  const rest = Float64Array.from(right);
  const direction = Float64Array.from(right);
  let length = sumOfProducts(rest, rest);
  const enough = length * 1e-8;
  for (let round = 0; round < ROUNDS && length > enough; round++) {
    const product = multiply(direction);
    const step = length / sumOfProducts(direction, product);
    for (let at = 0; at < result.length; at++) {
      result[at] = (result[at] as number) + step * (direction[at] as number);
      rest[at] = (rest[at] as number) - step * (product[at] as number);
    }
    const next = sumOfProducts(rest, rest);
    for (let at = 0; at < result.length; at++)
      direction[at] = (rest[at] as number) + (next / length) * (direction[at] as number);
    length = next;
  }
  return result;
}

function sumOfProducts(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] as number) * (right[at] as number);
  return sum;
}

/** Pairs are few and tell attack from likeness; the others keep the weights from learning what pairs look like. */
function shareOf(set: string): number {
  const kind = (["pairs", "honest", "scan-dev"] as const).find((one) => set.startsWith(one));
  return kind === undefined ? 0.04 : SHARES[kind];
}

const SHARES = { pairs: 1, honest: 0.25, "scan-dev": 0.15 };

/** How many of the twins and of other honest skills may be flagged, by rules and weights together. */
const BUDGETS = {
  dangerous: { twins: 0.025, honest: 0.02, wild: 0.017 },
  caution: { twins: 0.1, honest: 0.08, wild: 0.06 },
};

/** The lowest sums that keep false alarms within the budgets on rows that the weights were not fitted on. */
export function chooseThresholds(rows: readonly SignedRow[]): Thresholds {
  const foldOf = foldsOf(rows);
  const scored = Array.from(new Set(rows.map(foldOf))).flatMap((fold) => {
    const fitted = fitWeights(rows.filter((row) => foldOf(row) !== fold));
    return rows
      .filter((row) => foldOf(row) === fold)
      .map((row) => ({ row, score: scoreSigns(row.signs, fitted) }));
  });
  const candidates = scored
    .filter(({ row }) => !row.isAttack)
    .map(({ score }) => score + 1e-6)
    .filter(Number.isFinite)
    .sort((left, right) => left - right);
  const choose = (at: "caution" | "dangerous", margin: number): Thresholds => {
    const settle = (limit: number): Thresholds =>
      at === "caution"
        ? { caution: limit, dangerous: Infinity, alone: Infinity }
        : { caution: Infinity, dangerous: limit, alone: limit + margin };
    return settle(candidates.find((limit) => isWithin(at, scored, settle(limit))) ?? candidates.at(-1) ?? 0);
  };
  const found = (thresholds: Thresholds): number =>
    scored.filter(
      ({ row, score }) =>
        row.isAttack && row.set.startsWith("pairs") && isFlagged("dangerous", row, score, thresholds),
    ).length;
  const [{ dangerous, alone }] = MARGINS.map((margin) => choose("dangerous", margin)).sort(
    (left, right) => found(right) - found(left),
  ) as [Thresholds];
  return { dangerous, alone, caution: choose("caution", 0).caution };
}

export type Thresholds = Pick<SkillWeights, "caution" | "dangerous" | "alone">;

/** How much more it takes to condemn what no rule has warned of. */
const MARGINS = [3, 2, 1.5, 1];

/** As the scanner decides, of a row that the rules and the weights have judged. */
export function isFlagged(
  at: "caution" | "dangerous",
  { worst }: SignedRow,
  score: number,
  thresholds: Thresholds,
): boolean {
  if (worst === "critical" || score >= thresholds.alone) return true;
  if (at === "dangerous") return worst === "warn" && score >= thresholds.dangerous;
  return worst === "warn" || score >= thresholds.caution;
}

function isWithin(
  at: keyof typeof BUDGETS,
  scored: readonly { readonly row: SignedRow; readonly score: number }[],
  thresholds: Thresholds,
): boolean {
  return (["twins", "honest", "wild"] as const).every((kind) => {
    const part = scored.filter(
      ({ row }) => !row.isAttack && row.set.startsWith(kind === "twins" ? "pairs" : kind),
    );
    const flagged = part.filter(({ row, score }) => isFlagged(at, row, score, thresholds)).length;
    return flagged <= part.length * BUDGETS[at][kind];
  });
}

/** A hand is a fold, since the next attack is written by another one; the others are spread over the folds. */
function foldsOf(rows: readonly SignedRow[]): (row: SignedRow) => string {
  const hands = Array.from(new Set(rows.map(({ set }) => set))).filter((set) => set.startsWith("pairs"));
  const folds = hands.length > 1 ? hands : ["1", "2", "3"];
  return ({ set, group }) => {
    if (folds.includes(set)) return set;
    const [first = 0] = createHash("sha256").update(`skillet-fit-scan\n${group}`).digest();
    return folds[first % folds.length] ?? "";
  };
}
