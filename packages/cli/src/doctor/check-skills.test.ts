import { expect, test } from "vitest";
import { findPositionalTokens } from "./check-skills.ts";

const tokens = (text: string): unknown[] => [...findPositionalTokens(text)];

test("prices and shell variables that would be replaced are found with their places", () => {
  expect(tokens("It costs $5.\nawk '{print $1}' and $ARGUMENTS[2]")).toEqual([
    { token: "$5", line: 1, column: 10 },
    { token: "$1", line: 2, column: 13 },
    { token: "$ARGUMENTS[2]", line: 2, column: 22 },
  ]);
});

test("escaped tokens, names and the whole arguments are not positional", () => {
  expect(tokens("\\$1 $HOME $ARGUMENTS \\\\\\$2")).toEqual([]);
});

test("a backslash that is itself escaped escapes nothing", () => {
  expect(tokens("\\\\$1")).toEqual([{ token: "$1", line: 1, column: 3 }]);
});
