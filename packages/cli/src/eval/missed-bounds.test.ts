import { expect, test } from "vitest";
import { missedBounds, missedBoundWords } from "./missed-bounds.ts";

const COUNTS = { truePositives: 1, falsePositives: 0, trueNegatives: 0, falseNegatives: 1 };
const words = (
  figures: { readonly precision?: number; readonly recall?: number; readonly f1?: number },
  unmeasured = 0,
): readonly string[] =>
  missedBounds(
    {
      ...{ results: [], metrics: { ...COUNTS, ...figures } },
      summary: { total: 2, passed: 1, failed: 1, unmeasured },
    },
    { minPrecision: 0.9, minRecall: 0.5 },
  ).map(missedBoundWords);

test("a bound is missed where the figure is below it, and nowhere else", () => {
  expect(words({ precision: 0.9, recall: 0.5 })).toEqual([]);
  expect(words({ precision: 0.899, recall: 0.5 })).toEqual(["selector: precision is 0.90, below 0.9"]);
});

test("what was not measured reaches no bound, and is said not to be measured", () => {
  expect(words({ recall: 1 })).toEqual([
    "selector: precision was not measured, so that it is not known to reach 0.9",
  ]);
  expect(words({ precision: 1, recall: 1 }, 1)).toEqual([
    "selector: precision is not known to reach 0.9: 1 message was not measured",
    "selector: recall is not known to reach 0.5: 1 message was not measured",
  ]);
});
