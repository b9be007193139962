import { expect, test } from "vitest";
import { formatBytes, formatTokens } from "./format-quantity.ts";

test.each([
  [0, "~0"],
  [999, "~999"],
  [1000, "~1k"],
  [1234, "~1.2k"],
  [9949, "~9.9k"],
  [9950, "~10k"],
  [999_499, "~999k"],
  [999_500, "~1M"],
  [12_345_678, "~12M"],
])("%i tokens are written %s", (tokens, text) => {
  expect(formatTokens(tokens)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 kB"],
  [1024 * 1024, "1 MB"],
])("%i bytes are written %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
