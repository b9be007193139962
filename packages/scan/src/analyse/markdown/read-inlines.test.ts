import { expect, test } from "vitest";
import { readInlines } from "./read-inlines.ts";

const visible = (text: string): string => readInlines(text, 0, new Map()).text;

test.each([
  ["Run `npm test` and **wait**.", "Run npm test and wait."],
  ["See [the guide](https://a.test/guide_1) for *more*.", "See the guide for more."],
  ["A snake_case_name, 2 * 3 and a < b & c ~ d.", "A snake_case_name, 2 * 3 and a < b & c ~ d."],
  ["Not \\*slanted\\* at all.", "Not *slanted* at all."],
  ["**Bold with *slanted* inside**", "Bold with slanted inside"],
])("what a reader sees of %j", (text, seen) => {
  expect(visible(text)).toBe(seen);
});

test("a hundred thousand open marks are read, and make no code", () => {
  for (const mark of ["`", "*a ", "[", "\\", "`a``"])
    expect(readInlines(`${mark.repeat(100_000)} x`, 0, new Map()).code.length).toBeLessThan(100_000);
});
