import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

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
