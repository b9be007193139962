import { expect, test } from "vitest";
import { median } from "./median.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  expect(median([30, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 200])).toBe(3.5);
  expect(median([100, 9])).toBe(54.5);
});

test("no values have no median", () => {
  expect(() => median([])).toThrow("There is no median of no values.");
});
