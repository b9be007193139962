import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import type { SelectorResult } from "../triggers/trigger-result.ts";
import { summariseResults } from "../triggers/trigger-result.ts";
import { triggerDocument } from "./trigger-document.ts";

const SKILL = makeSkill("pdf-forms", "Fill in PDF forms.");
const BASE = { id: "1", query: "fill it in", shouldTrigger: true, chosenInstead: [] };

test("a document has the field names that other tools read, and ours beside them", () => {
  const result: SelectorResult = {
    ...BASE,
    triggers: 1,
    runs: 1,
    triggerRate: 1,
    pass: true,
    line: 3,
    decision: "suggest",
    score: 0.5,
    rank: 1,
    reasons: ["name"],
  };
  expect(triggerDocument(SKILL, summariseResults([result]))).toEqual({
    skill_name: "pdf-forms",
    description: "Fill in PDF forms.",
    by: "selector",
    results: [
      {
        id: "1",
        query: "fill it in",
        should_trigger: true,
        trigger_rate: 1,
        triggers: 1,
        runs: 1,
        pass: true,
        line: 3,
        chosen_instead: [],
        decision: "suggest",
        score: 0.5,
        rank: 1,
        reasons: ["name"],
      },
    ],
    summary: { total: 1, passed: 1, failed: 0, unmeasured: 0 },
    metrics: {
      precision: 1,
      recall: 1,
      f1: 1,
      accuracy: 1,
      true_positives: 1,
      false_positives: 0,
      true_negatives: 0,
      false_negatives: 0,
    },
  });
});

test("what no run measured has neither a rate nor an outcome, and says why", () => {
  const failures = [{ kind: "timeout" as const, message: "no answer" }];
  const usage = { promptTokens: 1, completionTokens: 2, answers: 3, withoutUsage: 4 };
  const document = triggerDocument(SKILL, {
    ...summariseResults([{ ...BASE, triggers: 0, runs: 0, failures }]),
    by: "m at e",
    usage,
    failedRuns: 1,
  });
  expect(document).toMatchObject({
    by: "m at e",
    results: [{ trigger_rate: null, pass: null, runs: 0, errors: failures }],
    metrics: { precision: null, recall: null, f1: null, accuracy: null },
    failed_runs: 1,
    usage: { prompt_tokens: 1, completion_tokens: 2, answers: 3, answers_without_usage: 4 },
  });
});
