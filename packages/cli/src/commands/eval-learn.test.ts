import type { LearnedChange, Lesson } from "@skillet/author";
import { expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { lessonSummary } from "./eval-learn.ts";

const change = (name: string, threshold: number): LearnedChange => ({
  name,
  after: { used: 1, ignored: 1, wrong: 1, threshold, wanted: [], unwanted: [] },
});
const lesson = (...changes: readonly LearnedChange[]): Lesson => ({
  learned: { skills: new Map() },
  changes,
  kept: [],
  tooFew: [],
  ofOthers: 0,
  beyondCap: 0,
});
const first = (...changes: readonly LearnedChange[]): string | undefined =>
  lessonSummary(lesson(...changes), plainLayout(120))[0];

test("how often skills would be offered is said in whole sentences", () => {
  expect(first(change("a", -1))).toBe("1 skill changed: 1 would be offered more often.");
  expect(first(change("a", 1))).toBe("1 skill changed: 1 would be offered less often.");
  expect(first(change("a", 1), change("b", -1), change("c", 0))).toBe(
    "3 skills changed: 1 would be offered less often, 1 more often, 1 with the same threshold.",
  );
});
