import { expect, test } from "vitest";
import { checkShellText } from "./read-shell.ts";

test.each([
  ["", "it is empty"],
  ["\n\t ", "it is empty"],
  ["é".repeat(2048), undefined],
  ["é".repeat(2049), "it is longer than 4 KiB"],
  ["a\u0000", "it holds the invisible character U+0000"],
  ["a\rb", "it holds the invisible character U+000D"],
  ["a\u200bb", "it holds the invisible character U+200B"],
  ["a\u3000b", "it holds the invisible character U+3000"],
  ["a\ud800", "it holds the invisible character U+D800"],
  ["a \u{1f600}\n\tb", undefined],
  ["(".repeat(101), "it nests too much"],
  ["a\\\nb", "a word goes on in the next line"],
  ["a \\\n b", undefined],
  ["a <<E\nE", undefined],
  ["a <<E <<F\nE\nF", "it has several here-documents"],
  ["a <<<b <<<c", undefined],
  ["a $[1]", "shells read its brackets in different ways"],
  ["a $x[1]", "shells read its brackets in different ways"],
  ["((a))", "shells read its brackets in different ways"],
  ["a $((1+2))", undefined],
])("%j: %s", (text, problem) => {
  expect(checkShellText(text)).toBe(problem);
});

const HISTORY = "it may hold a history expansion (`!`)";

test.each([
  ["a !b", HISTORY],
  ["a !!", HISTORY],
  ['a "!b"', HISTORY],
  ["a\n^b^c", HISTORY],
  ["a $'\\'' '!b'", HISTORY],
  ["a 'b\n!c'", HISTORY],
  ["! a", undefined],
  ["a != b", undefined],
  ["a \\!b", undefined],
  ["a '!b'", undefined],
  ['a "b!"', undefined],
])("%j: %s", (text, problem) => {
  expect(checkShellText(text)).toBe(problem);
});
