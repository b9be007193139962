import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions } from "./compare-versions.ts";

describe("compareVersions", () => {
  test.each([
    ["1.0.0", "2.0.0", "older"],
    ["1.9.0", "1.10.0", "older"],
    ["1.0", "1.0.0", "same"],
    ["v2", "1.9", "newer"],
    ["1.0.0-beta.2", "1.0.0", "older"],
    ["1.0.0-beta.2", "1.0.0-beta.11", "older"],
    ["1.0.0-alpha", "1.0.0-alpha.1", "older"],
    ["1.0.0-1", "1.0.0-alpha", "older"],
    ["1.0.0+7", "1.0.0+8", "same"],
    ["2026.11.1", "2026.9.30", "newer"],
    ["99999999999999999999.0", "99999999999999999998.0", "newer"],
    ["blue", "blue", "same"],
    ["blue", "green", undefined],
    ["1.0", "latest", undefined],
    ["1.".repeat(200), "1", undefined],
  ] as const)("%s against %s: %s", (left, right, order) => {
    expect(compareVersions(left, right)).toBe(order);
  });

  test("it says the opposite when asked the other way round", () => {
    const version = fc.stringMatching(/^\d{1,2}(\.\d{1,2}){0,3}(-[a-b0-1](\.[a-b0-1]){0,2})?$/);
    const opposite = { older: "newer", newer: "older", same: "same" } as const;
    fc.assert(
      fc.property(version, version, (left, right) => {
        const order = compareVersions(left, right);
        expect(order && opposite[order]).toBe(compareVersions(right, left));
      }),
    );
  });
});
