import { createHash } from "node:crypto";
import { scoreSigns } from "../../../packages/scan/src/verdict/weigh-skill.ts";

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

const PENALTY = 0.3;
const STEPS = 25;
/** A sign of fewer rows tells about those rows. */
const MIN_ROWS = 4;

/** Logistic regression with L2 by Newton's method: the same rows give the same weights. */
export function fitWeights(rows: readonly SignedRow[]): Fitted {
  const counts = new Map<string, number>();
  for (const { signs } of rows)
    for (const name of signs.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = Array.from(counts.keys())
    .filter((name) => (counts.get(name) ?? 0) >= MIN_ROWS)
    .sort();
  const place = new Map(names.map((name, at) => [name, at]));
  const size = names.length + 1;
  const means = new Float64Array(size);
  const matrix = rows.map(({ signs }) => {
    const row = new Float64Array(size);
    for (const [name, value] of signs) {
      const at = place.get(name);
      if (at !== undefined) row[at] = value;
    }
    row.forEach((value, at) => {
      means[at] = (means[at] ?? 0) + value / rows.length;
    });
    return row;
  });
  for (const row of matrix) {
    for (let at = 0; at < size; at++) row[at] = (row[at] ?? 0) - (means[at] ?? 0);
    row[size - 1] = 1;
  }
  const solution = newton(matrix, rows, size);
  const base = names.reduce(
    (sum, _, at) => sum - (means[at] ?? 0) * (solution[at] ?? 0),
    solution[size - 1] ?? 0,
  );
  return { base, weights: Object.fromEntries(names.map((name, at) => [name, solution[at] ?? 0])) };
}

function newton(matrix: readonly Float64Array[], rows: readonly SignedRow[], size: number): Float64Array {
  const solution = new Float64Array(size);
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(size);
    const curvature = Array.from({ length: size }, () => new Float64Array(size));
    matrix.forEach((row, index) => {
      const { isAttack = false, set = "" } = rows[index] ?? {};
      const share = shareOf(set);
      const chance = 1 / (1 + Math.exp(-dot(row, solution)));
      const error = share * (chance - (isAttack ? 1 : 0));
      const bend = share * chance * (1 - chance) + 1e-6;
      for (let at = 0; at < size; at++) {
        const value = row[at] ?? 0;
        gradient[at] = (gradient[at] ?? 0) + error * value;
        const line = curvature[at] as Float64Array;
        for (let other = 0; other < size; other++)
          line[other] = (line[other] ?? 0) + bend * value * (row[other] ?? 0);
      }
    });
    for (let at = 0; at < size; at++) {
      gradient[at] = (gradient[at] ?? 0) + PENALTY * (solution[at] ?? 0);
      const line = curvature[at] as Float64Array;
      line[at] = (line[at] ?? 0) + PENALTY;
    }
    const move = solve(curvature, gradient);
    for (let at = 0; at < size; at++) solution[at] = (solution[at] ?? 0) - (move[at] ?? 0);
    if (move.every((one) => Math.abs(one) < 1e-6)) break;
  }
  return solution;
}

/** Pairs are few and tell attack from likeness; the others keep the weights from learning what pairs look like. */
function shareOf(set: string): number {
  return set.startsWith("pairs") ? 1 : set.startsWith("honest") ? 0.25 : 0.15;
}

/** Gauss without pivoting: the matrix is positive definite. */
function solve(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  const result = Float64Array.from(right);
  for (let at = 0; at < size; at++) {
    const line = matrix[at] as Float64Array;
    for (let below = at + 1; below < size; below++) {
      const other = matrix[below] as Float64Array;
      const factor = (other[at] ?? 0) / (line[at] ?? 1);
      if (factor === 0) continue;
      for (let column = at; column < size; column++)
        other[column] = (other[column] ?? 0) - factor * (line[column] ?? 0);
      result[below] = (result[below] ?? 0) - factor * (result[at] ?? 0);
    }
  }
  for (let at = size - 1; at >= 0; at--) {
    const line = matrix[at] as Float64Array;
    let rest = result[at] ?? 0;
    for (let column = at + 1; column < size; column++) rest -= (line[column] ?? 0) * (result[column] ?? 0);
    result[at] = rest / (line[at] ?? 1);
  }
  return result;
}

function dot(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

const FOLDS = 5;
/** How many of the twins and of other honest skills may be flagged, by rules and weights together. */
const BUDGETS = {
  dangerous: { twins: 0.035, honest: 0.02 },
  caution: { twins: 0.1, honest: 0.08 },
};

/** The lowest sums that keep false alarms within the budgets on rows that the weights were not fitted on. */
export function chooseThresholds(rows: readonly SignedRow[]): {
  readonly caution: number;
  readonly dangerous: number;
} {
  const scored = Array.from({ length: FOLDS }, (_, fold) => {
    const fitted = fitWeights(rows.filter((row) => foldOf(row) !== fold));
    return rows
      .filter((row) => foldOf(row) === fold)
      .map((row) => ({ row, score: scoreSigns(row.signs, fitted) }));
  }).flat();
  const dangerous = lowestWithin("dangerous", scored);
  return { dangerous, caution: Math.min(dangerous, lowestWithin("caution", scored)) };
}

function lowestWithin(
  at: keyof typeof BUDGETS,
  scored: readonly { readonly row: SignedRow; readonly score: number }[],
): number {
  const isRuled = ({ worst }: SignedRow): boolean =>
    worst === "critical" || (at === "caution" && worst === "warn");
  const candidates = scored
    .filter(({ row }) => !row.isAttack && !isRuled(row))
    .map(({ score }) => score)
    .sort((left, right) => left - right);
  const isWithin = (limit: number): boolean =>
    (["pairs", "honest"] as const).every((kind) => {
      const part = scored.filter(({ row }) => !row.isAttack && row.set.startsWith(kind));
      const flagged = part.filter(({ row, score }) => score > limit || isRuled(row)).length;
      return flagged <= part.length * BUDGETS[at][kind === "pairs" ? "twins" : "honest"];
    });
  return candidates.find(isWithin) ?? Math.max(...candidates);
}

function foldOf({ group }: SignedRow): number {
  return (createHash("sha256").update(`skillet-fit-scan\n${group}`).digest()[0] ?? 0) % FOLDS;
}
