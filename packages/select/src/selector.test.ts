import { expect, test } from "vitest";
import { createSelector } from "./create-selector.ts";
import { clampLimit, type SelectContext } from "./selector.ts";
import { makeLibrary } from "./testing/make-skill.ts";

const library = makeLibrary(40);
const names = library.map(({ qualifiedName }) => qualifiedName);
const selector = await createSelector(library, { vectorOf: () => Float32Array.of(1e38, 1e38) });
const MESSAGE = "convert the invoice with pandoc";

test.each<[string, unknown]>([
  ["a text", "x"],
  ["a list", []],
  ["files that are null", { files: null }],
  ["files that are not texts", { files: [null, 3] }],
  ["uses that are null", { recentUse: null }],
  ["uses without a map", { recentUse: { now: 1 } }],
  ["ignored that is not a map", { ignored: {} }],
  ["a vector that is a list", { vector: [1, 2] }],
])("a context with %s is refused and named", (_, context) => {
  for (const ask of [selector.select, selector.decide])
    expect(() => ask(MESSAGE, { context: context as SelectContext })).toThrow(
      expect.objectContaining({ name: "SkilletError", code: "select-context-invalid" }),
    );
});

test.each<[string, unknown]>([
  ["a time of use that is none", { recentUse: { now: 1, uses: usesOf({ lastUsedAt: Number.NaN }) } }],
  ["no time to compare with", { recentUse: { uses: usesOf({ lastUsedAt: 1 }) } }],
  ["fewer uses than none", { recentUse: { now: 1, uses: usesOf({ lastUsedAt: 1, count: -1 }) } }],
  [
    "a count that is not a number",
    { recentUse: { now: 1, uses: usesOf({ lastUsedAt: 1, count: Number.NaN }) } },
  ],
  [
    "endless uses",
    { recentUse: { now: 1, uses: usesOf({ lastUsedAt: 1, count: Number.POSITIVE_INFINITY }) } },
  ],
  ["ignored that is not a number", { ignored: new Map(names.map((name) => [name, Number.NaN])) }],
  ["ignored below zero", { ignored: new Map(names.map((name) => [name, Number.NEGATIVE_INFINITY])) }],
])("a context with %s says nothing", (_, context) => {
  expect(selector.select(MESSAGE, { limit: 20, context: context as SelectContext })).toEqual(
    selector.select(MESSAGE, { limit: 20 }),
  );
});

test("a vector counts for no more than the nearest there can be", () => {
  const near = selector.select(MESSAGE, { context: { vector: Float32Array.of(1e38, 1e38) } });
  for (const { score } of near) expect(score > 0 && score < 1).toBe(true);
});

function usesOf(use: object): ReadonlyMap<string, object> {
  return new Map(names.map((name) => [name, use]));
}

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

test("words that no skill has in any form are named, those of how something is said are not", () => {
  expect(selector.unknownWords("please converting the Rechnung with pandoc, danke zorblatt")).toEqual([
    "rechnung",
    "danke",
    "zorblatt",
  ]);
});

test("words that no skill has are named as they were typed", () => {
  expect(selector.unknownWords("übersetze den Rückenwind")).toEqual(["übersetze", "rückenwind"]);
});
