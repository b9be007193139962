import { expect, test } from "vitest";
import { readString } from "./syntax-reader.ts";

test.each([
  [`"a\\x41\\u0042\\n"`, "aAB\n"],
  [`b'\\101'`, "A"],
  [`r"\\x41"`, "\\x41"],
  [`"""a"b"""`, 'a"b'],
  [`'\\U00000041'`, "A"],
  [`"never closed`, "never closed"],
  [`"\\q"`, "q"],
])("%s in Python", (literal, expected) => {
  expect(readString(literal)).toBe(expected);
});

test.each([
  [`"\\x65val"`, "eval"],
  [
    `'\\u{65}v\\
al'`,
    "eval",
  ],
  [`"a`, "a"],
  [`"\\u{99999999}"`, "\\u{99999999}"],
])("%s in JavaScript", (literal, expected) => {
  expect(readString(literal)).toBe(expected);
});
