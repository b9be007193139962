import { createHash } from "node:crypto";
import {
  marginOf,
  type Signs,
  type SkillWeights,
  scoreSigns,
} from "../../../packages/scan/src/verdict/weigh-skill.ts";
import { WORD_SLOTS } from "../../../packages/scan/src/verdict/word-signs.ts";

/** A labelled skill, as what is weighed in it. */
export interface SignedRow {
  readonly set: string;
  /** Rows that are never split between folds: near copies, skills of one repository. */
  readonly group: string;
  readonly isAttack: boolean;
  /** The worst that the rules say. */
  readonly worst: "critical" | "warn" | "info";
  readonly signs: Signs;
}

/** A row with the sum that weights gave it which were fitted without its author or repository. */
export interface ScoredRow {
  readonly row: SignedRow;
  readonly score: number;
}

const PENALTY = 0.45;
const ROUNDS = 400;
/** A sign of fewer rows tells about those rows. */
const MIN_ROWS = 5;

/** Logistic regression with L2: the same rows give the same weights. */
export function fitWeights(rows: readonly SignedRow[]): Pick<SkillWeights, "base" | "named" | "slots"> {
  const counts = new Map<string | number, number>();
  for (const { signs } of rows)
    for (const name of [...signs.named.keys(), ...signs.slots]) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = Array.from(counts.keys()).filter((name) => (counts.get(name) ?? 0) >= MIN_ROWS);
  const place = new Map(names.map((name, at) => [name, at]));
  const matrix = rows.map(({ signs, isAttack, set }): MatrixRow => {
    const known = [
      ...Array.from(signs.named, ([name, { value }]) => [place.get(name), value] as const),
      ...Array.from(signs.slots, (slot) => [place.get(slot), signs.slotValue] as const),
    ].filter(([at]) => at !== undefined);
    return {
      columns: Int32Array.from([...known.map(([at]) => at ?? 0), names.length]),
      values: Float64Array.from([...known.map(([, value]) => value), 1]),
      target: isAttack ? 1 : 0,
      share: shareOf(set),
    };
  });
  const solution = descend(
    matrix,
    // A finding must never lower a score.
    [...names.map((name) => typeof name === "string" && FINDING.test(name)), false],
  );
  const weightAt = (name: string | number): number => solution[place.get(name) ?? -1] ?? 0;
  return {
    base: solution[names.length] ?? 0,
    named: new Map(
      names
        .filter((name) => typeof name === "string")
        .sort()
        .map((name) => [name, weightAt(name)]),
    ),
    slots: Float32Array.from({ length: WORD_SLOTS }, (_, slot) => weightAt(slot)),
  };
}

/** What a row has, and where; the last column is the base. */
interface MatrixRow {
  readonly columns: Int32Array;
  readonly values: Float64Array;
  readonly target: number;
  readonly share: number;
}

const FINDING = /^(?:[A-Z]{2}\d )?(?:info|warn|critical)$/;

/** Gradient descent by Nesterov, with the step that the steepest direction allows; some columns never fall below nought. */
function descend(matrix: readonly MatrixRow[], isLeastZero: readonly boolean[]): Float64Array {
  const size = isLeastZero.length;
  const step = 1 / (steepest(matrix, size) / 4 + PENALTY);
  let solution = new Float64Array(size);
  const ahead = new Float64Array(size);
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = ahead.map((weight) => weight * PENALTY);
    gradient[size - 1] = 0;
    for (const row of matrix)
      addTo(gradient, row, row.share * (1 / (1 + Math.exp(-dot(row, ahead))) - row.target));
    const momentum = (round - 1) / (round + 2);
    const next = new Float64Array(size);
    for (let at = 0; at < size; at++) {
      const weight = (ahead[at] as number) - step * (gradient[at] as number);
      next[at] = isLeastZero[at] === true ? Math.max(0, weight) : weight;
      ahead[at] = (next[at] as number) * (1 + momentum) - (solution[at] as number) * momentum;
    }
    solution = next;
  }
  return solution;
}

/** The largest eigenvalue of the rows' products, by powers. */
function steepest(matrix: readonly MatrixRow[], size: number): number {
  let vector = new Float64Array(size).fill(1 / Math.sqrt(size));
  let length = 0;
  for (let round = 0; round < 20; round++) {
    const product = new Float64Array(size);
    for (const row of matrix) addTo(product, row, row.share * dot(row, vector));
    length = Math.sqrt(product.reduce((sum, one) => sum + one * one, 0));
    vector = product.map((one) => one / length);
  }
  return length;
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

/** Pairs are few and tell attack from likeness; the others keep the weights from learning what pairs look like. */
function shareOf(set: string): number {
  return SHARES.find(([kind]) => set.startsWith(kind))?.[1] ?? 0;
}

const SHARES = [
  ["pairs", 1],
  ["honest", 0.5],
  ["scan-dev", 0.5],
  ["public", 0.02],
] as const;

/** Every row by weights that were fitted on other authors and repositories. */
export function scoreApart(rows: readonly SignedRow[]): readonly ScoredRow[] {
  const authors = Array.from(new Set(rows.map(({ set }) => set).filter((set) => set.startsWith("pairs"))));
  const foldOf = ({ set, group }: SignedRow): string | undefined =>
    set.startsWith("pairs") ? set : authors[hashOf(group) % authors.length];
  return authors.flatMap((author) => {
    const fitted = fitWeights(rows.filter((row) => foldOf(row) !== author));
    return rows
      .filter((row) => foldOf(row) === author)
      .map((row) => ({ row, score: scoreSigns(row.signs, fitted) }));
  });
}

function hashOf(group: string): number {
  return createHash("sha256").update(`skillet-fit-scan\n${group}`).digest()[0] ?? 0;
}

export type Level = "caution" | "dangerous";

/** How many of the twins, of other honest skills and of public ones may be flagged, by rules and weights together. */
const BUDGETS: Readonly<Record<Level, Readonly<Record<string, number>>>> = {
  dangerous: { pairs: 0.035, honest: 0.02, public: 0.01 },
  caution: { pairs: 0.1, honest: 0.08, public: 0.06 },
};

/** The lowest sum that keeps false alarms within the budgets. */
export function chooseThreshold(scored: readonly ScoredRow[], level: Level): number {
  const honest = scored.filter(({ row }) => !row.isAttack);
  const limits = Object.entries(BUDGETS[level]).map(([kind, share]) => {
    const part = honest.filter(({ row }) => row.set.startsWith(kind));
    const ruled = part.filter(({ row }) => isRuled(row, level)).length;
    const sums = part
      .filter(({ row }) => !isRuled(row, level))
      .map((row) => sumFor(level, row))
      .sort((left, right) => right - left);
    const room = Math.max(0, Math.floor(part.length * share) - ruled);
    return sums[room] ?? Number.NEGATIVE_INFINITY;
  });
  return Math.max(...limits) + 1e-6;
}

/** As the scanner decides. */
export function isFlagged({ row, score }: ScoredRow, level: Level, threshold: number): boolean {
  return isRuled(row, level) || sumFor(level, { row, score }) >= threshold;
}

/** What is compared with the threshold of a level. */
function sumFor(level: Level, { row, score }: ScoredRow): number {
  return level === "dangerous" ? score - marginOf(row.signs) : score;
}

function isRuled({ worst }: SignedRow, level: Level): boolean {
  return worst === "critical" || (level === "caution" && worst === "warn");
}
