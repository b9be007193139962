import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineDiff, renderDiff } from "./line-diff.ts";

describe("lineDiff", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));

  test("its sides are the two texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        const side = (without: string): string =>
          lines
            .filter(({ kind }) => kind !== without)
            .map((line) => `${line.text}\n`)
            .join("");
        expect([side("added"), side("removed")]).toEqual([before, after]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("it changes no more lines than needed", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changed = lineDiff(before, after).filter(({ kind }) => kind !== "same").length;
        const [left, right] = [before, after].map((side) => side.split("\n").slice(0, -1));
        expect(changed).toBe(left!.length + right!.length - 2 * longestCommon(left!, right!));
      }),
      { numRuns: 300 },
    );
  });

  test("texts that have nothing in common are replaced whole, in bounded work", () => {
    const many = (word: string): string =>
      Array.from({ length: 20_000 }, (_, index) => `${word}${index}\n`).join("");
    const lines = lineDiff(many("a"), many("b"));
    expect(lines).toHaveLength(40_000);
    expect(lines[0]).toEqual({ kind: "removed", text: "a0" });
  });

  test("reads like a patch, with three lines around each change", () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
    const after = before.replace("line 5\n", "five\n").replace("line 20\n", "line 20");
    expect(renderDiff(lineDiff(before, after))).toBe(
      [
        "@@ -2,7 +2,7 @@",
        " line 2",
        " line 3",
        " line 4",
        "-line 5",
        "+five",
        " line 6",
        " line 7",
        " line 8",
        "@@ -17,4 +17,4 @@",
        " line 17",
        " line 18",
        " line 19",
        "-line 20",
        "+line 20",
        "\\ no newline at the end",
      ].join("\n"),
    );
    expect(renderDiff(lineDiff(before, before))).toBe("");
  });
});

function longestCommon(left: readonly string[], right: readonly string[]): number {
  const table = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  for (let i = 1; i <= left.length; i++)
    for (let j = 1; j <= right.length; j++)
      table[i]![j] =
        left[i - 1] === right[j - 1]
          ? table[i - 1]![j - 1]! + 1
          : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
  return table[left.length]![right.length]!;
}
