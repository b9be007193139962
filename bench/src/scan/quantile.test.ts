import { expect, test } from "vitest";
import { quantile } from "./quantile.ts";

test("the quantile is a value that was measured, by nearest rank", () => {
  const values = [5, 1, 4, 2, 3];
  expect([0.5, 0.95, 1, 0.2].map((share) => quantile(values, share))).toEqual([3, 5, 5, 1]);
  expect(quantile([], 0.5)).toBe(0);
});
