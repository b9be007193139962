import fc from "fast-check";
import { expect, test } from "vitest";
import { scoreReachedBy } from "./score-reached-by.ts";

test("at least so many reach the score, where there are so many at all", () => {
  fc.assert(
    fc.property(
      fc.array(fc.float({ min: 0, max: 100, noNaN: true }), { maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (values, count) => {
        const scores = Float32Array.from(values);
        const least = scoreReachedBy(scores, count);
        const reached = scores.filter((score) => score > 0 && score >= least).length;
        expect(reached).toBeGreaterThanOrEqual(Math.min(count, scores.filter((score) => score > 0).length));
      },
    ),
  );
});
