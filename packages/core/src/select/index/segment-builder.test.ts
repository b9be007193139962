import fc from "fast-check";
import { expect, test } from "vitest";
import { quantise, WEIGHTS } from "./segment-builder.ts";

test("a packed weight is within two per cent of what it was", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.011, max: 60, noNaN: true }), (weight) => {
      expect(Math.abs((WEIGHTS[quantise(weight)] ?? 0) / weight - 1)).toBeLessThan(0.02);
    }),
  );
});
