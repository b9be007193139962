import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance } from "./edit-distance.ts";

test("each kind of slip counts one", () => {
  const cases: [string, string, number][] = [
    ["", "", 0],
    ["show", "show", 0],
    ["show", "shw", 1],
    ["show", "shoow", 1],
    ["show", "shaw", 1],
    ["show", "hsow", 1],
    ["show", "", 4],
    ["review", "reveiw", 1],
  ];
  for (const [left, right, distance] of cases)
    expect([left, right, editDistance(left, right)]).toEqual([left, right, distance]);
});

test("the distance is symmetric, and nothing only for equal words", () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (left, right) => {
      expect(editDistance(left, right)).toBe(editDistance(right, left));
      expect(editDistance(left, right) === 0).toBe(left === right);
    }),
  );
});
