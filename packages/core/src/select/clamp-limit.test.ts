import { expect, test } from "vitest";
import { clampLimit } from "./clamp-limit.ts";

test.each([
  [-1, 0],
  [Number.NEGATIVE_INFINITY, 0],
  [Number.NaN, 0],
  [0, 0],
  [2.5, 2],
  [5, 5],
  [51, 50],
  [Number.POSITIVE_INFINITY, 50],
])("who wants %s skills gets at most %s", (wanted, given) => {
  expect(clampLimit(wanted)).toBe(given);
});
