import { expect, test } from "vitest";
import { FactBook } from "../fact/fact.ts";
import { makeDeclaration, makeProfile } from "../testing/make-fact.ts";
import { TR1 } from "./coherence.ts";

test.each([
  ["description", "Use for every request, whatever it is about", ["info"]],
  ["description", "Always use this skill", ["info"]],
  ["description", "Use when a PDF has to be filled in", []],
  ["name", "anthropc-pdf", ["warn"]],
  ["name", "clawwhub", ["warn"]],
  ["name", "metamaks-helper", ["warn"]],
  ["name", "anthropic-pdf", []],
  ["name", "weather", []],
] as const)("the %s “%s”", (what, value, expected) => {
  const hits = TR1.find(new FactBook([makeDeclaration(what, value)]), makeProfile());
  expect(hits.map(({ severity }) => severity)).toEqual(expected);
});
