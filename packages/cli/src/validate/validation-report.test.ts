import fc from "fast-check";
import { expect, test } from "vitest";
import { changedLines } from "./validation-report.ts";

test("only lines that differ are listed, in their order", () => {
  const before = "--- \nname: a\ndescription: b\n\tversion: 1\n---\nbody";
  const after = "---\nname: a\ndescription: b\n  version: 1\n---\nbody";
  expect(changedLines(before, after)).toEqual([
    { sign: "-", text: "--- " },
    { sign: "+", text: "---" },
    { sign: "-", text: "\tversion: 1" },
    { sign: "+", text: "  version: 1" },
  ]);
});

test("equal texts have no changed lines", () => {
  expect(changedLines("a\nb", "a\nb")).toEqual([]);
});

test("taking out the removed lines and putting in the added ones is all there is to it", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = changedLines(before, after);
      const bag = (lines: readonly string[]): string => lines.toSorted().join("\n");
      const removed = changes.filter(({ sign }) => sign === "-").map((change) => change.text);
      const added = changes.filter(({ sign }) => sign === "+").map((change) => change.text);
      return bag([...before.split("\n"), ...added]) === bag([...after.split("\n"), ...removed]);
    }),
  );
});
