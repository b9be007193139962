import fc from "fast-check";
import { expect, test } from "vitest";
import { compareByteOrder, sortByByteOrder } from "./order.ts";

test("strings sort as their UTF-8 bytes do, for any two well-formed strings", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (left, right) => {
      const bytes = Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      expect(Math.sign(compareByteOrder(left, right))).toBe(bytes);
    }),
  );
});

test("a character beyond the basic plane sorts after U+FFFD", () => {
  expect(["\u{1f9c0}", "\ufffd", "a"].sort(compareByteOrder)).toEqual(["a", "\ufffd", "\u{1f9c0}"]);
});

test("sorting by a key gives the same order as comparing, with and without such characters", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (keys) => {
      const items = keys.map((key) => ({ key }));
      expect(sortByByteOrder(items, ({ key }) => key).map(({ key }) => key)).toEqual(
        keys.toSorted(compareByteOrder),
      );
    }),
  );
});
