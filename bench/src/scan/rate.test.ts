import { expect, test } from "vitest";
import { formatRate, rateOf } from "./rate.ts";

// The intervals are those of Newcombe (1998), table I, method 3.
test.each([
  [81, 263, "0.308 [0.26, 0.37]"],
  [15, 148, "0.101 [0.06, 0.16]"],
  [0, 20, "0.000 [0.00, 0.16]"],
  [1, 29, "0.034 [0.01, 0.17]"],
])("%i of %i is %s", (hits, total, text) => {
  expect(formatRate(rateOf(hits, total))).toBe(text);
});

test("of nothing there is no rate", () => {
  expect(formatRate(rateOf(0, 0))).toBe("-");
});
