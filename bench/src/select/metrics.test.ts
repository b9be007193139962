import { expect, test } from "vitest";
import { createRandom } from "../library/random.ts";
import { bestThreshold, binaryMetrics, bootstrapInterval, rankMetrics } from "./metrics.ts";

test("ranks give hits, recalls and the mean reciprocal rank; what was not found counts nothing", () => {
  expect(rankMetrics([1, 2, 8, Number.POSITIVE_INFINITY])).toEqual({
    hitAt1: 0.25,
    recallAt5: 0.5,
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

test("a threshold divides, and the area does not depend on it", () => {
  expect(binaryMetrics(judged, 0.75)).toMatchObject({ precision: 0.5, recall: 0.5, f1: 0.5, auc: 0.75 });
  expect(binaryMetrics(judged, 0.75).precisionAtRecall90).toBeCloseTo(2 / 3);
  expect(bestThreshold(judged)).toBe(0.7);
});

test("ties count half of the area", () => {
  const tied = judged.map((one) => ({ ...one, score: 0.5 }));
  expect(binaryMetrics(tied, 0.5).auc).toBe(0.5);
});

test("an interval over one group is a point, and over two it lies between them", () => {
  const { next } = createRandom(1);
  expect(bootstrapInterval([{ group: "a", value: 0.4 }], next)).toEqual([0.4, 0.4]);
  const [low, high] = bootstrapInterval(
    [
      { group: "a", value: 0 },
      { group: "b", value: 1 },
    ],
    next,
  );
  expect([low, high]).toEqual([0, 1]);
});
