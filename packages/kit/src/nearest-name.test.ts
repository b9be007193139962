import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, nearestName } from "./nearest-name.ts";

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

test("of two names that are as near, the one that was not typed to its end is meant", () => {
  expect(nearestName("prun", ["run", "prune"])).toBe("prune");
});

const KEYS = ["plugins", "pluginsDir", "userDir", "precedence", "limits"];

test.each([
  ["plugin", "plugins"],
  ["plguins", "plugins"],
  ["userdir", "userDir"],
  ["precedense", "precedence"],
  ["limit", "limits"],
  ["colours", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
])("%s most likely means %s", (word, expected) => {
  expect(nearestName(word, KEYS)).toBe(expected);
});
