import fc from "fast-check";
import { expect, test } from "vitest";
import { packedWeight, type StoredIndex } from "../index/skill-index.ts";
import { scoreReachedBy, takeBest } from "./gather-candidates.ts";

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

test("at least so many reach the score, where there are so many at all", () => {
  fc.assert(
    fc.property(
      fc.array(fc.float({ min: 0, max: 100, noNaN: true }), { maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (values, count) => {
        const scores = Float32Array.from(values);
        const least = scoreReachedBy(scores, count);
        const reached = scores.filter((score) => score > 0 && score >= least).length;
        expect(reached).toBeGreaterThanOrEqual(Math.min(count, scores.filter((score) => score > 0).length));
      },
    ),
  );
});

const keyOf = ({ key }: { readonly key: string }): string => key;

test("whatever order they come in, the same are taken, in the same order", () => {
  const items = fc.uniqueArray(
    fc.record({ key: fc.stringMatching(/^[a-f]{1,2}$/), relevance: fc.integer({ min: 0, max: 3 }) }),
    { selector: keyOf },
  );
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 20 }), (found, count) => {
      const sorted = found.toSorted(
        (left, right) => right.relevance - left.relevance || (left.key < right.key ? -1 : 1),
      );
      expect(takeBest(found, count, keyOf)).toEqual(sorted.slice(0, count));
      expect(takeBest(found.toReversed(), count, keyOf)).toEqual(sorted.slice(0, count));
    }),
  );
});
