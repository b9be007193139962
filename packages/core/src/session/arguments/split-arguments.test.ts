import { expect, test } from "vitest";
import { splitArguments } from "./split-arguments.ts";

test.each<readonly [string, readonly string[]]>([
  ["", []],
  ["  a \t b\nc ", ["a", "b", "c"]],
  ['"big file" v2', ["big file", "v2"]],
  [`it's open`, ["its open"]],
  [`a"b c"d 'e"f'`, ["ab cd", 'e"f']],
  ['"" x', ["", "x"]],
  ["a\\ b \\", ["a b", "\\"]],
  ['"a\\"b \\n"', ['a"b \\n']],
  ["'a\\b'", ["a\\b"]],
])("%j is the words %j", (text, words) => {
  expect(splitArguments(text)).toEqual(words);
});
