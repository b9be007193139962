import type { Learned } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { makeSkill, OTHERS } from "../testing/make-skill.ts";
import { evaluateTriggers } from "./evaluate-triggers.ts";
import type { TriggerQuery } from "./read-trigger-set.ts";

const SKILL = makeSkill(
  "pdf-forms",
  'Fill in PDF forms and read their fields. Use when the user says "fill in this form". Do not use for merging files.',
);
const query = (text: string, shouldTrigger: boolean, index: number): TriggerQuery => ({
  id: String(index),
  query: text,
  shouldTrigger,
});
const SET = [
  query("fill in this form", true, 1),
  query("use pdf-forms on application.pdf", true, 2),
  query("write release notes from the commits since the last tag", false, 3),
  query("bake bread without yeast", true, 4),
  query("fill in this form", false, 5),
];

test("every query is decided, ranked and explained, and the figures follow from that", async () => {
  const { results, metrics, summary } = await evaluateTriggers(SKILL, { queries: SET, among: OTHERS });
  expect(results.map(({ id, pass, triggers }) => [id, pass, triggers])).toEqual([
    ["1", true, 1],
    ["2", true, 1],
    ["3", true, 0],
    ["4", false, 0],
    ["5", false, 1],
  ]);
  expect(metrics).toEqual({
    truePositives: 2,
    falsePositives: 1,
    trueNegatives: 1,
    falseNegatives: 1,
    precision: 2 / 3,
    recall: 2 / 3,
    f1: 2 / 3,
    accuracy: 3 / 5,
  });
  expect(summary).toEqual({ total: 5, passed: 3, failed: 2, unmeasured: 0 });
  expect(results[0]).toMatchObject({ rank: 1, decision: "activate", runs: 1, triggerRate: 1 });
  expect(results[0]?.reasons.length).toBeGreaterThan(0);
  expect(results[0]).not.toHaveProperty("advice");
  expect(results[2]?.chosenInstead).toEqual([{ name: "release-notes", times: 1 }]);
});

test("what failed comes with what to change", async () => {
  const { results } = await evaluateTriggers(SKILL, { queries: SET, among: OTHERS });
  expect(results[3]?.advice).toBe(
    'the description and when_to_use lack "bake", "bread", "yeast": say so, if the skill is for that',
  );
  expect(results[4]?.advice).toBe(
    'its own text says "fill", "form" too, whatever it says it is not for: narrow the description',
  );
});

test("what use has taught counts where it is given", async () => {
  const queries = [query("fill in this form", true, 1)];
  const evaluate = async (learned?: Learned) =>
    (await evaluateTriggers(SKILL, { queries, among: OTHERS, ...(learned && { learned }) })).results[0];
  const entry = { used: 0, ignored: 30, wrong: 0, threshold: 1.5, wanted: [], unwanted: [] };
  const [plain, taught] = [await evaluate(), await evaluate({ skills: new Map([["pdf-forms", entry]]) })];
  expect(taught?.score).toBeLessThan(plain?.score ?? 0);
  expect(taught?.reasons.join()).toContain("its threshold was raised");
});

test("what counts as a call is for the caller to say", async () => {
  const suggest = await evaluateTriggers(SKILL, { queries: SET, among: OTHERS });
  const named = suggest.results.filter(({ decision }) => decision !== "nothing");
  const activate = await evaluateTriggers(SKILL, { queries: SET, among: OTHERS, at: "activate" });
  expect(suggest.results.filter(({ triggers }) => triggers === 1)).toHaveLength(named.length);
  expect(
    activate.results.every(({ triggers, decision }) => (triggers === 1) === (decision === "activate")),
  ).toBe(true);
});

test("a skill that forbids the model to invoke it is never activated, at most suggested", async () => {
  const shy = makeSkill("pdf-forms", SKILL.manifest.description, ["disable-model-invocation: true"]);
  const { results } = await evaluateTriggers(shy, { queries: SET, at: "activate" });
  expect(results.map(({ triggers }) => triggers)).toEqual([0, 0, 0, 0, 0]);
});

describe("company", () => {
  test("a skill is evaluated in whatever state it is installed, and others only where they are offered", async () => {
    const disabled = { ...SKILL, state: "untrusted" as const };
    const rival = { ...makeSkill("form-filler", SKILL.manifest.description), state: "disabled" as const };
    const { results } = await evaluateTriggers(disabled, {
      queries: SET,
      among: [...OTHERS, rival, disabled],
    });
    expect(results[0]).toMatchObject({ rank: 1, pass: true, chosenInstead: [] });
  });

  test("alone there is no skill to be chosen instead", async () => {
    const { results } = await evaluateTriggers(SKILL, { queries: SET });
    expect(results.flatMap(({ chosenInstead }) => chosenInstead)).toEqual([]);
  });

  test("bodies are read where there is a reader", async () => {
    const read: string[] = [];
    await evaluateTriggers(SKILL, {
      queries: SET,
      among: OTHERS,
      readBody: ({ name }) => {
        read.push(name);
        return "# Body";
      },
    });
    expect(read.sort()).toEqual([
      "kubernetes",
      "pdf-forms",
      "recipes",
      "release-notes",
      "spreadsheets",
      "video-cutter",
    ]);
  });
});

test("without a query there is nothing to evaluate", async () => {
  await expect(evaluateTriggers(SKILL, { queries: [] })).rejects.toMatchObject({ code: "trigger-set-empty" });
});

test("an abort ends it", async () => {
  await expect(evaluateTriggers(SKILL, { queries: SET, signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: "AbortError",
  });
});
