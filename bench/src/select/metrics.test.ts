import { expect, test } from "vitest";
import { createRandom } from "../library/random.ts";
import { areaUnderCurve, bestThreshold, bootstrapInterval, rankMetrics } from "./metrics.ts";

test("ranks give hits, recalls and the mean reciprocal rank; what was not found counts nothing", () => {
  expect(rankMetrics([1, 2, 8, Number.POSITIVE_INFINITY])).toEqual({
    hitAt1: 0.25,
    recallAt10: 0.75,
    mrr: (1 + 1 / 2 + 1 / 8) / 4,
  });
});

const judged = [
  { score: 0.9, shouldTrigger: true },
  { score: 0.8, shouldTrigger: false },
  { score: 0.7, shouldTrigger: true },
  { score: 0.1, shouldTrigger: false },
];

test("the best threshold divides what should call a skill from what should not, and the area counts pairs", () => {
  expect(bestThreshold(judged)).toBe(0.7);
  expect(areaUnderCurve(judged)).toBe(0.75);
  expect(areaUnderCurve(judged.map((one) => ({ ...one, score: 0.5 })))).toBe(0.5);
});

test("an interval over one group is a point, and over two it lies between them", () => {
  const { next: random } = createRandom(1);
  const figureOf = (some: readonly { readonly value: number }[]): number =>
    some.reduce((sum, { value }) => sum + value, 0) / some.length;
  const interval = (rows: readonly { readonly group: string; readonly value: number }[]) =>
    bootstrapInterval(rows, { groupOf: ({ group }) => group, figureOf, random });
  const one = { group: "a", value: 0.4 };
  expect(interval([one])).toEqual([0.4, 0.4]);
  expect(
    interval([
      { ...one, value: 0 },
      { group: "b", value: 1 },
    ]),
  ).toEqual([0, 1]);
});
