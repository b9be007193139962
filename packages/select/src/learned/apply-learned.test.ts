import fc from "fast-check";
import { expect, test } from "vitest";
import type { Skill } from "../../../core/src/registry/skill.ts";
import type { SelectedSkill } from "../selector.ts";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { THRESHOLD_BOUNDS } from "./learned.ts";
import { applyLearned } from "./learned-effect.ts";

const skill: Skill = makeSkill(writeHeader("one", "Does one thing."));
const logOdds = (score: number): number => Math.log(score / (1 - score));

test("no skill moves further than its own threshold, none is dragged along, and use lifts none past another", () => {
  const { lowest, highest } = THRESHOLD_BOUNDS;
  const row = fc.record({
    score: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
    threshold: fc.oneof(fc.constant(0), fc.double({ min: lowest, max: highest, noNaN: true })),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 10 }), (rows) => {
      const sorted = rows.toSorted((left, right) => right.score - left.score);
      const thresholds = new Map<readonly string[], number>();
      const ranked = sorted.map(({ score, threshold }, place): SelectedSkill => {
        const reasons = [String(place)];
        thresholds.set(reasons, threshold);
        return { skill, score, reasons };
      });
      const moved = applyLearned(ranked, ({ reasons }) => thresholds.get(reasons) ?? 0);
      expect(moved.map(({ score }) => score)).toEqual(
        moved.map(({ score }) => score).toSorted((a, b) => b - a),
      );
      for (const { score, reasons } of moved) {
        const place = Number(reasons[0]);
        const threshold = thresholds.get(reasons)!;
        const shift = logOdds(ranked[place]!.score) - logOdds(score);
        expect(shift).toBeLessThanOrEqual(Math.max(0, threshold) + 1e-9);
        expect(shift).toBeGreaterThanOrEqual(Math.min(0, threshold) - 1e-9);
        if (threshold > 0) expect(shift).toBeCloseTo(threshold, 6);
        if (place > 0) expect(score).toBeLessThanOrEqual(ranked[place - 1]!.score);
      }
    }),
  );
});
