import fc from "fast-check";
import { expect, test } from "vitest";
import { packedWeight, type StoredIndex } from "../index/skill-index.ts";
import { takeBest } from "./gather-candidates.ts";

test("the weight of every skill that has a term is found, and of no other", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 300 }), { maxLength: 200 }), (skills) => {
      const postingSkills = Uint32Array.from(skills.toSorted((left, right) => left - right));
      const index = {
        postingStarts: Uint32Array.of(0, 0, postingSkills.length),
        postingSkills,
        postingWeights: Uint8Array.from(postingSkills, (skill) => skill % 256),
      } as unknown as StoredIndex;
      for (let skill = 0; skill <= 300; skill += 1) {
        expect(packedWeight(index, 1, skill)).toBe(skills.includes(skill) ? skill % 256 : -1);
        expect(packedWeight(index, 0, skill)).toBe(-1);
      }
    }),
  );
});

test("whatever order they come in, the best are taken, in the same order", () => {
  const items = fc.uniqueArray(
    fc.record({ key: fc.stringMatching(/^[a-f]{1,3}$/), score: fc.integer({ min: 0, max: 5 }) }),
    { selector: ({ key }) => key, maxLength: 200 },
  );
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 20 }), (found, count) => {
      const sorted = found
        .filter(({ score }) => score > 0)
        .sort((left, right) => right.score - left.score || (left.key < right.key ? -1 : 1))
        .map(({ key }) => key);
      const take = (some: typeof found): readonly (string | undefined)[] => {
        const scores = Float32Array.from(some, ({ score }) => score);
        return takeBest(scores, count, (place) => some[place]?.key ?? "").map((place) => some[place]?.key);
      };
      expect(take(found)).toEqual(sorted.slice(0, count));
      expect(take(found.toReversed())).toEqual(sorted.slice(0, count));
    }),
  );
});
