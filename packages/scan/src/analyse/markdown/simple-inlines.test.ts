import fc from "fast-check";
import { expect, test } from "vitest";
import { type Inlines, parseInlines } from "./read-inlines.ts";
import { simpleInlines } from "./simple-inlines.ts";

const reading = ({ text, code, links, markup, sourceOffset }: Inlines) => ({
  text,
  code,
  links,
  markup,
  offsets: Array.from({ length: text.length }, (_, offset) => sourceOffset(offset)),
});

const PIECES = [
  "word",
  "Word",
  " ",
  " ",
  "\n",
  ".",
  ",",
  "(",
  ")",
  "*",
  "**",
  "***",
  "_",
  "__",
  "`",
  "``",
  "`code`",
  "[label](https://a.test/b_c)",
  "![picture](a.png)",
  "[",
  "]",
  "](",
  "!",
  "\\",
  "\\*",
  "~",
  "~~",
  "<",
  "<b>",
  "&",
  "&amp;",
  "é",
  "—",
  "中",
  "**bold**",
  "*slanted*",
  "snake_case",
] as const;

test("what is simple reads as the parser reads it", () => {
  const paragraph = fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(paragraph, (text) => {
      const simple = simpleInlines(`x${text}`, 7);
      if (simple === undefined) return;
      expect(reading(simple)).toEqual(reading(parseInlines(`x${text}`, 7, new Map())));
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ["Run `npm test` and **wait**.", "Run npm test and wait."],
  ["See [the guide](https://a.test/guide_1) for *more*.", "See the guide for more."],
  ["A snake_case_name, 2 * 3 and a < b & c ~ d.", "A snake_case_name, 2 * 3 and a < b & c ~ d."],
  ["Not \\*slanted\\* at all.", "Not *slanted* at all."],
  ["**Bold with *slanted* inside**", "Bold with slanted inside"],
])("%j is simple", (text, visible) => {
  expect(simpleInlines(text, 0)?.text).toBe(visible);
});

test.each([
  "an <b>element</b>",
  "an &amp; entity",
  "a [reference] or [two][three]",
  "~~gone~~",
  "*unclosed",
  "`unclosed",
  "an escaped \\```mark``",
  "*one **two* three**",
])("%j is left to the parser", (text) => {
  expect(simpleInlines(text, 0)).toBeUndefined();
});

test("a million open marks are given up at once", () => {
  for (const mark of ["`", "*a ", "[", "\\", "`a``"])
    expect(simpleInlines(`${mark.repeat(1_000_000)} x`, 0)?.code.length ?? 0).toBe(0);
});
