import fc from "fast-check";
import { expect, test } from "vitest";
import type { Segment } from "../index/segment.ts";
import { packedWeight } from "./packed-weight.ts";

test("the weight of every skill that has a term is found, and of no other", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 300 }), { maxLength: 200 }), (skills) => {
      const postingSkills = Uint16Array.from(skills.toSorted((left, right) => left - right));
      const segment = {
        keys: Array.from({ length: 301 }, String),
        postingStarts: Uint32Array.of(0, 0, postingSkills.length),
        postingSkills,
        postingWeights: Uint8Array.from(postingSkills, (skill) => skill % 256),
      } as unknown as Segment;
      for (let skill = 0; skill <= 300; skill += 1) {
        expect(packedWeight(segment, 1, skill)).toBe(skills.includes(skill) ? skill % 256 : -1);
        expect(packedWeight(segment, 0, skill)).toBe(-1);
      }
    }),
  );
});
