import fc from "fast-check";
import { expect, test } from "vitest";
import { takeBest } from "./take-best.ts";

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
