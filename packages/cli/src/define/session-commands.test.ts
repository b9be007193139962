import { expect, test } from "vitest";
import { parseBudget } from "./session-commands.ts";

test.each([
  ["2000", { tokens: 2000 }],
  ["0", { tokens: 0 }],
  ["8000c", { characters: 8000 }],
  ["unlimited", "unlimited"],
])("%s is a budget", (text, budget) => {
  expect(parseBudget(text)).toEqual(budget);
});

test.each(["", "-1", "1.5", "2k", "8000 c", "8000C", "c", "all", "1e3", "9999999999"])(
  "%j is none",
  (text) => {
    expect(parseBudget(text)).toBeUndefined();
  },
);
