import type { ModelResult, SelectorResult } from "@skillet/author";
import { expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { displayWidth } from "../ui/text.ts";
import { missedBounds, missedBoundWords, showFigure, triggerTable } from "./report-triggers.ts";

const COUNTS = { truePositives: 1, falsePositives: 0, trueNegatives: 0, falseNegatives: 1 };
const words = (
  figures: { readonly precision?: number; readonly recall?: number; readonly f1?: number },
  unmeasured = 0,
): readonly string[] =>
  missedBounds(
    {
      results: [],
      metrics: { ...COUNTS, ...figures },
      summary: { total: 2, passed: 1, failed: 1, unmeasured },
    },
    { minPrecision: 0.9, minRecall: 0.5 },
  ).map(missedBoundWords);

test("a bound is missed where the figure is below it, and nowhere else", () => {
  expect(words({ precision: 0.9, recall: 0.5 })).toEqual([]);
  expect(words({ precision: 0.899, recall: 0.5 })).toEqual(["selector: precision is 0.90, below 0.9"]);
});

test("what was not measured reaches no bound, and is said not to be measured", () => {
  expect(words({ recall: 1 })).toEqual([
    "selector: precision was not measured, so it is not known to reach 0.9",
  ]);
  expect(words({ precision: 1, recall: 1 }, 1)).toEqual([
    "selector: precision is not known to reach 0.9: 1 message was not measured",
    "selector: recall is not known to reach 0.5: 1 message was not measured",
  ]);
});

const METRICS = {
  truePositives: 1,
  falsePositives: 0,
  trueNegatives: 1,
  falseNegatives: 1,
  precision: 1,
  recall: 0.5,
  f1: 2 / 3,
  accuracy: 2 / 3,
};
const row = (changes: Partial<SelectorResult>): SelectorResult => ({
  id: "1",
  query: "fill it in",
  shouldTrigger: true,
  triggers: 1,
  runs: 1,
  triggerRate: 1,
  pass: true,
  decision: "activate",
  score: 0.9,
  rank: 1,
  reasons: [],
  chosenInstead: [],
  ...changes,
});
const { rank: _rank, ...unranked } = row({ query: "bake", shouldTrigger: false, score: 0 });

test("messages that fail come first, with why, what was taken and what to change", () => {
  const missed = row({
    query: "complete the declaration",
    pass: false,
    score: 0.31,
    rank: 4,
    reasons: ["words of its body"],
    chosenInstead: [{ name: "taxes", times: 1 }],
    advice: "say so",
  });
  const summary = { total: 3, passed: 2, failed: 1, unmeasured: 0 };
  const lines = triggerTable(
    { results: [row({}), missed, unranked], summary, metrics: METRICS },
    { ...plainLayout(80), verbose: false },
  );
  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "precision 1.00  recall 0.50  F1 0.67  accuracy 0.67
    2 of 3 messages passed

    Failing 1
      ✗ missed (score 0.31, #4): complete the declaration
        why:      words of its body
        instead:  taxes
        try:      say so

    Passing 2
      ✓ called (score 0.90, #1): fill it in
      ✓ left alone (score 0.00): bake"
  `);
});

test("runs of a model that failed are told apart, each reason once", () => {
  const failure = { kind: "status" as const, message: "status 500" };
  const result: ModelResult = {
    id: "1",
    query: "fill it in",
    shouldTrigger: true,
    triggers: 0,
    runs: 0,
    chosenInstead: [],
    failures: [failure, failure],
  };
  const late = { kind: "timeout" as const, message: "too late" };
  const summary = { total: 2, passed: 0, failed: 0, unmeasured: 2 };
  const metrics = { truePositives: 0, falsePositives: 0, trueNegatives: 0, falseNegatives: 0 };
  const lines = triggerTable(
    { results: [result, { ...result, failures: [late, failure] }], summary, metrics },
    { ...plainLayout(80), verbose: false },
  );
  expect(lines).toEqual([
    "precision –  recall –  F1 –  accuracy –",
    "0 of 2 messages passed, 2 not measured",
    "! 3 runs failed: status 500",
    "! 1 run failed: too late",
    "",
    "Not measured 2",
    "  ! no answer (0 of 0 runs): fill it in",
    "  ! no answer (0 of 0 runs): fill it in",
  ]);
});

test.each([24, 40, 80, 120])("no line is wider than %d columns, whatever a message holds", (width) => {
  const odd = row({
    query: `${"漢字".repeat(80)} ${"x".repeat(500)}\u001b[31m`,
    pass: false,
    reasons: ["y".repeat(300)],
    advice: "z ".repeat(200),
  });
  const summary = { total: 1, passed: 0, failed: 1, unmeasured: 0 };
  const lines = triggerTable(
    { results: [odd, row({ query: "w".repeat(400) })], summary, metrics: METRICS },
    { ...plainLayout(width), verbose: true },
  );
  expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
  expect(lines.join("")).not.toContain("\u001b");
});

test("only a whole is shown as one", () => {
  expect([showFigure(1), showFigure(0.999), showFigure(2 / 3), showFigure(0), showFigure(undefined)]).toEqual(
    [...["1.00", "0.99", "0.67", "0.00", "–"]],
  );
});
