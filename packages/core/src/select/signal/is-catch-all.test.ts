import { expect, test } from "vitest";
import { PatternTable } from "./pattern-table.ts";

const verdictOf = (source: string): string => new PatternTable([]).verdictOf(source);

test.each([
  "",
  ".",
  "\\w",
  "\\s",
  ".*",
  "(?s).+",
  "(?i)[a-z]",
  "E",
  "e|a|i|o",
  "^",
  "$",
  "\\b",
  ".{60}",
  "[^x]{9}",
  "\\b(can|could|please|what|how|my)\\b",
  "x*",
])("a pattern for everything, %s, is told", (source) => {
  expect(verdictOf(source)).toBe("catch-all");
});

test.each([
  "\\bOPS-[0-9]+\\b",
  "\\b(thanks|thank you)\\b",
  "^hello",
  "[0-9]{2}:[0-9]{2}",
  "\\bdeploy\\b.*\\bprod",
  "翻译",
])("a pattern for something, %s, is tried", (source) => {
  expect(verdictOf(source)).toBe("tried");
});
