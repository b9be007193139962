import { expect, test } from "vitest";
import { parseSince } from "./eval-commands.ts";

test("a day begins at midnight in UTC, and days count back from now", () => {
  expect(parseSince("2026-11-01", 0)).toBe(Date.UTC(2026, 10, 1));
  expect(parseSince("2d", 172_800_001)).toBe(1);
});

test.each(["", "d", "-1d", "2026-02-30", "2026-13-01", "yesterday", "2026-11-01T00:00:00Z", "1e3d"])(
  "%j is no day",
  (text) => {
    expect(parseSince(text, 0)).toBeUndefined();
  },
);
