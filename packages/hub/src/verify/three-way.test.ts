import type { TreeFile } from "@skillet/core";
import { expect, test } from "vitest";
import { threeWay } from "./three-way.ts";

test("each file is named with what happened here and there", () => {
  const base = tree({
    same: "1\n",
    here: "1\n",
    there: "1\n",
    alike: "1\n",
    both: "1\n",
    gone: "1\n",
    "gone-edited": "1\n",
    bin: "\0",
  });
  const ours = tree({
    same: "1\n",
    here: "2\n",
    there: "1\n",
    alike: "2\n",
    both: "2\n",
    gone: "1\n",
    "gone-edited": "2\n",
    bin: "\0a",
    mine: "x\n",
    twin: "x\n",
  });
  const theirs = tree({
    same: "1\n",
    here: "1\n",
    there: "2\n",
    alike: "2\n",
    both: "3\n",
    bin: "\0",
    yours: "x\n",
    twin: "y\n",
  });
  const found = threeWay(base, ours, theirs);
  expect(found.map(({ path, here, there, conflict }) => [path, here, there, conflict])).toEqual([
    ["alike", "changed", "changed", false],
    ["bin", "changed", "unchanged", false],
    ["both", "changed", "changed", true],
    ["gone", "unchanged", "removed", false],
    ["gone-edited", "changed", "removed", true],
    ["here", "changed", "unchanged", false],
    ["mine", "added", "unchanged", false],
    ["there", "unchanged", "changed", false],
    ["twin", "added", "added", true],
    ["yours", "unchanged", "added", false],
  ]);
  expect(found.find(({ path }) => path === "both")).toMatchObject({
    hereDiff: "@@ -1,1 +1,1 @@\n-1\n+2",
    thereDiff: "@@ -1,1 +1,1 @@\n-1\n+3",
  });
  expect(found.find(({ path }) => path === "bin")).not.toHaveProperty("hereDiff");
});

test("a file that only became executable is changed", () => {
  const [base] = tree({ run: "x" });
  expect(threeWay([base!], [{ ...base!, mode: "755" }], [base!])).toEqual([
    { path: "run", here: "changed", there: "unchanged", conflict: false },
  ]);
});

function tree(files: Readonly<Record<string, string>>): readonly TreeFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, mode: "644", bytes: Buffer.from(text) }));
}
