import { describe, expect, it } from "vitest";
import { resolvePlainScalar } from "./raw-header.ts";

describe("resolvePlainScalar", () => {
  it.each([
    ["", null],
    ["~", null],
    ["NULL", null],
    ["True", true],
    ["FALSE", false],
    ["0", 0],
    ["-7", -7],
    ["1.5", 1.5],
    ["1e+21", 1e21],
  ])("reads %j as YAML 1.2 does", (text, value) => {
    expect(resolvePlainScalar(text)).toBe(value);
  });

  it.each([
    "1.10",
    "1.0",
    "007",
    "+5",
    "0x1F",
    "0o17",
    "1e3",
    ".5",
    "-0",
    "-Infinity",
    ".nan",
    "12345678901234567890",
    "2024-01-31",
    "yes",
    "tRue",
  ])("keeps %j as text", (text) => {
    expect(resolvePlainScalar(text)).toBe(text);
  });
});
