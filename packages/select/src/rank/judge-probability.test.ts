import { expect, test } from "vitest";
import type { Candidate } from "./gather-candidates.ts";
import { exampleShift, judgedRow } from "./judge-probability.ts";

test("examples lift a skill by no more than one point, whatever they say, and lower it as far as they say", () => {
  const nearest = exampleShift({ wanted: 1, subject: 1 });
  expect(nearest).toBe(1);
  expect(exampleShift({ wanted: 0.05, subject: 0.05 })).toBeLessThan(nearest);
  expect(exampleShift({ wanted: -1, subject: -1 })).toBeLessThan(-2);
});

test("a header is as long as what it does not quote, but a hundred quoted words at most are left out", () => {
  const lengthOf = (headerLength: number, quotedLength: number): number => {
    const candidate = { headerLength, quotedLength } as Candidate;
    return judgedRow({ candidate, score: 0 }, { margin: 0, size: 1 }).headerLength;
  };
  expect(lengthOf(150, 80)).toBe(lengthOf(70, 0));
  expect(lengthOf(800, 700)).toBe(lengthOf(700, 0));
});
