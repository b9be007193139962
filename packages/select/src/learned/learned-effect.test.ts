import { describe, expect, test } from "vitest";
import { createSelector } from "../create-selector.ts";
import type { SelectedSkill, Selector } from "../selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "../testing/make-skill.ts";
import { type LearnedSkill, THRESHOLD_BOUNDS } from "./learned.ts";
import { learnedEffect } from "./learned-effect.ts";

const skill = makeSkill(writeHeader("pdf-forms", "Fills in PDF forms and paperwork."));
const snapshot = [skill, ...makeLibrary(60)];
const ENTRY: LearnedSkill = { used: 1, ignored: 6, wrong: 0, threshold: 0, wanted: [], unwanted: [] };
const MESSAGE = "fill in these PDF forms for the tax office";

const plain = await createSelector(snapshot);
const taught = (entry: Partial<LearnedSkill>): Selector =>
  plain.taught({ skills: new Map([[skill.qualifiedName, { ...ENTRY, ...entry }]]) });
const found = (selector: Selector, message = MESSAGE): SelectedSkill =>
  selector.select(message, { limit: 20 }).find((one) => one.skill === skill)!;
const logOdds = ({ score }: SelectedSkill): number => Math.log(score / (1 - score));

describe("a threshold", () => {
  test("moves the probability by as much as it says, either way, and says why", () => {
    for (const threshold of [THRESHOLD_BOUNDS.lowest, 0.4, THRESHOLD_BOUNDS.highest]) {
      const one = found(taught({ threshold }));
      expect(logOdds(found(plain)) - logOdds(one)).toBeCloseTo(threshold, 6);
      const reason = threshold > 0 ? "raised: ignored 6 of 7 times" : "lowered: used 1 of 7 times";
      expect(one.reasons).toContain(`its threshold was ${reason}`);
    }
  });

  test("counts half when the skill's text has changed, and nothing for a skill of another origin", () => {
    const changed = { threshold: 1, digest: "sha256:00000000" };
    expect(logOdds(found(plain)) - logOdds(found(taught(changed)))).toBeCloseTo(0.5, 6);
    expect(found(taught({ threshold: 1, digest: skill.digest.slice(0, 20) })).score).toBeLessThan(
      found(taught(changed)).score,
    );
    expect(found(taught({ threshold: 1, origin: "community" }))).toEqual(found(plain));
    expect(found(taught({ threshold: 1, origin: "local" })).score).toBeLessThan(found(plain).score);
  });

  test("that was raised does not hold back the skills after it, and one that was lowered passes no other", () => {
    const message = "convert the invoice with pandoc";
    const [first, second] = plain.select(message);
    const entry = (threshold: number): LearnedSkill => ({ ...ENTRY, threshold });
    const raised = plain
      .taught({ skills: new Map([[first!.skill.qualifiedName, entry(1.5)]]) })
      .select(message);
    expect(raised[0]!.skill).toBe(second!.skill);
    expect(raised[0]!.score).toBeGreaterThanOrEqual(second!.score);
    const lowered = plain
      .taught({ skills: new Map([[second!.skill.qualifiedName, entry(-0.75)]]) })
      .select(message);
    expect(lowered[0]!.skill).toBe(first!.skill);
    expect(lowered[1]!.score).toBeLessThanOrEqual(lowered[0]!.score);
  });

  test("does not touch a skill that the message names", () => {
    const message = "use $pdf-forms on this";
    expect(found(taught({ threshold: 1.5 }), message)).toEqual(found(plain, message));
  });

  test("that a person set is said to be by hand", () => {
    const byHand = { threshold: 1, used: 0, ignored: 0, wrong: 0 };
    expect(found(taught(byHand)).reasons).toContain("its threshold was raised: by hand");
    expect(
      learnedEffect({ skills: new Map([["pdf-forms", { ...ENTRY, threshold: 1, wrong: 2 }]]) }, skill),
    ).toMatchObject({
      reason: "its threshold was raised: ignored 6 and wrong 2 of 9 times",
    });
  });
});

describe("examples", () => {
  test("lower the skill for messages like theirs and leave it as it is for others", () => {
    const other = "paperwork about the garden";
    const selector = taught({ unwanted: [MESSAGE] });
    expect(found(selector).score).toBeLessThan(found(plain).score);
    expect(found(selector, other).score).toBeCloseTo(found(plain, other).score, 1);
    expect(found(taught({ wanted: [MESSAGE] })).score).toBeGreaterThan(found(plain).score);
  });

  test("say nothing about the threshold, which is learned apart and bounded", () => {
    const unwanted = Array.from(
      { length: 10 },
      (_, index) => `fill in PDF forms and paperwork number ${index}`,
    );
    const unlike = "pdf";
    expect(logOdds(found(plain, unlike)) - logOdds(found(taught({ unwanted }), unlike))).toBeLessThan(1.9);
  });

  test("stand beside those of the author", async () => {
    const examples = new Map([[skill.qualifiedName, [{ message: "do my taxes", shouldTrigger: true }]]]);
    const authored = await createSelector(snapshot, { examples });
    const both = authored.taught({
      skills: new Map([[skill.qualifiedName, { ...ENTRY, unwanted: [MESSAGE] }]]),
    });
    expect(found(both).score).toBeLessThan(found(authored).score);
    const other = "do my paperwork and taxes";
    const moved = (message?: string): number =>
      logOdds(found(authored, message)) - logOdds(found(both, message));
    expect(moved(other)).toBeLessThan(moved() / 2);
  });
});
