import { expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { analysePromises } from "./analyse-listings.ts";

const promised = (text: string, medium: "script" | "fence" = "script"): [string, number][] =>
  analysePromises(makeSource(text, { file: "run.py", language: "python", medium })).facts.flatMap((fact) =>
    fact.kind === "declaration" ? [[fact.value, fact.line]] : [],
  );

test.each<[string, [string, number][]]>([
  ['"""Tidies up: no side effects."""\n', [["no side effects", 1]]],
  ["x = 1\n# Read-only: looks at files\n", [["Read-only", 2]]],
  ["read(path)  // nothing is deleted\n", [["nothing is deleted", 1]]],
  ['if mode == "read-only mode":\n', []],
  ['print("nothing is deleted")\n', []],
])("%s promises what its remarks say", (text, expected) => {
  expect(promised(text)).toEqual(expected);
});

test("a fence promises nothing for a script", () => {
  expect(promised("# no side effects\n", "fence")).toEqual([]);
});

test("a megabyte of promises is read to its end", () => {
  expect(promised("# no side effects ".repeat(60_000)).length).toBeLessThanOrEqual(100);
});
