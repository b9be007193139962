import { expect, test } from "vitest";
import { MAX_VALUE_CHARACTERS, replaceBounded } from "./value.ts";

test("a replacement stops where a value ends", () => {
  expect([
    replaceBounded("a-b-c", "-", "+"),
    replaceBounded("abc", "", "x"),
    replaceBounded("a".repeat(1_000), "a", "b".repeat(100_000)).length <= 2 * MAX_VALUE_CHARACTERS,
  ]).toEqual(["a+b+c", "abc", true]);
});
