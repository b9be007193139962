import fc from "fast-check";
import { expect, test } from "vitest";
import { findLevel, MIN_DESCRIPTION_CODE_POINTS } from "./plan-catalog.ts";
import { countCodePoints, createTextScale } from "./text-scale.ts";

const scale = createTextScale(
  (text) => text.replaceAll("&", "&amp;"),
  (text) => text.length,
);

test("all texts get the same", () => {
  expect(share([200, 200, 200], 303)).toEqual([100, 100, 100]);
  expect(share([200, 200, 200], 305)).toEqual([100, 100, 100]);
  expect(share([200, 200, 200], 306)).toEqual([101, 101, 101]);
});

test("what short texts do not need goes to the long ones", () => {
  expect(share([10, 300, 300], 510)).toEqual([10, 249, 249]);
  expect(share([10, 20, 30], 60)).toEqual([10, 20, 30]);
});

test("room for less than is of use is not shared at all", () => {
  expect(share([200, 200], 2 * (MIN_DESCRIPTION_CODE_POINTS + 1))).toEqual([80, 80]);
  expect(share([200, 200], 2 * (MIN_DESCRIPTION_CODE_POINTS + 1) - 1)).toBeUndefined();
  expect(share([20, 20], 39)).toBeUndefined();
  expect(share([], 0)).toEqual([]);
});

test("characters that are escaped cost what they are written as, and count as one", () => {
  const texts = ["&".repeat(100), "a".repeat(600)].map((text) => ({ text, codePoints: text.length }));
  const room = 5 * 90 + 1 + 90 + 1;
  expect(findLevel(texts, { room, scale, ellipsisWeight: 1 })).toBe(90);
  expect(findLevel(texts, { room: room - 1, scale, ellipsisWeight: 1 })).toBe(89);
});

test("the level is the highest one that fits", () => {
  const arbitraryText = fc
    .tuple(fc.stringMatching(/^[a&🧀]{1,9}$/u), fc.nat(300))
    .map(([text, length]) => text.repeat(length).slice(0, 2 * length));
  fc.assert(
    fc.property(fc.array(arbitraryText, { maxLength: 8 }), fc.nat(3000), (given, room) => {
      const texts = given.map((text) => ({ text, codePoints: countCodePoints(text) }));
      const weightAt = (level: number): number =>
        texts.reduce(
          (sum, { text, codePoints }) =>
            sum + scale.weighFirst(text, Math.min(codePoints, level)) + (codePoints > level ? 1 : 0),
          0,
        );
      const level = findLevel(texts, { room, scale, ellipsisWeight: 1 });
      if (level === undefined) {
        expect(weightAt(MIN_DESCRIPTION_CODE_POINTS)).toBeGreaterThan(room);
        return;
      }
      expect(weightAt(level)).toBeLessThanOrEqual(room);
      if (texts.some(({ codePoints }) => codePoints > level))
        expect(weightAt(level + 1)).toBeGreaterThan(room);
    }),
  );
});

test("a hundred thousand long texts are shared in one pass over them", () => {
  const text = "a".repeat(1000);
  const visited: number[] = [];
  const counting = {
    ...scale,
    addWeights(sums: Float64Array, _: unknown, count: number) {
      visited.push(count);
      for (let place = 0; place < count; place += 1) sums[place] = (sums[place] ?? 0) + 1;
    },
  };
  const texts = Array.from({ length: 100_000 }, () => ({ text, codePoints: text.length }));
  expect(findLevel(texts, { room: 101 * texts.length, scale: counting, ellipsisWeight: 1 })).toBe(100);
  expect(visited).toHaveLength(texts.length);
  // Characters for which there is no room in any case are not looked at.
  expect(Math.max(...visited.slice(0, 10))).toBe(101);
});

function share(lengths: readonly number[], room: number): number[] | undefined {
  const texts = lengths.map((length) => ({ text: "a".repeat(length), codePoints: length }));
  const level = findLevel(texts, { room, scale, ellipsisWeight: 1 });
  return level === undefined ? undefined : lengths.map((length) => Math.min(length, level));
}
