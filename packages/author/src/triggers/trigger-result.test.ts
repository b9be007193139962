import fc from "fast-check";
import { expect, test } from "vitest";
import { measureTriggers } from "./trigger-result.ts";

test("what nothing was measured of is absent, and never perfect", () => {
  const figuresOf = (...calls: Parameters<typeof measureTriggers>[0]): unknown => {
    const { precision, recall, f1, accuracy } = measureTriggers(calls);
    return [precision, recall, f1, accuracy];
  };
  expect(figuresOf({ shouldTrigger: true, triggers: 0, runs: 1 })).toEqual([undefined, 0, 0, 0]);
  expect(figuresOf({ shouldTrigger: false, triggers: 0, runs: 1 })).toEqual([
    undefined,
    undefined,
    undefined,
    1,
  ]);
  expect(figuresOf({ shouldTrigger: false, triggers: 1, runs: 1 })).toEqual([0, undefined, 0, 0]);
  expect(figuresOf({ shouldTrigger: true, triggers: 0, runs: 0 })).toEqual(Array(4).fill(undefined));
  expect(figuresOf()).toEqual(Array(4).fill(undefined));
});

test("every figure lies between 0 and 1 and every run is counted once", () => {
  const call = fc
    .record({ shouldTrigger: fc.boolean(), runs: fc.nat(9), triggers: fc.nat(9) })
    .map((one) => ({ ...one, triggers: Math.min(one.triggers, one.runs) }));
  fc.assert(
    fc.property(fc.array(call), (calls) => {
      const { precision, recall, f1, accuracy, ...counts } = measureTriggers(calls);
      for (const figure of [precision, recall, f1, accuracy]) {
        if (figure === undefined) continue;
        expect(figure).toBeGreaterThanOrEqual(0);
        expect(figure).toBeLessThanOrEqual(1);
      }
      expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(
        calls.reduce((sum, { runs }) => sum + runs, 0),
      );
    }),
  );
});
