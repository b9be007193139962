import { expect, test } from "vitest";
import { findTwinPaths } from "./read-tree.ts";

test("files and folders that only their spelling in Unicode tells apart are found, each once", () => {
  expect(
    findTwinPaths([
      "SKILL.md",
      "K.sh",
      "\u212a.sh",
      "scripts/\u00c5/a.sh",
      "scripts/A\u030a/b.sh",
      "scripts/A\u030a/c.sh",
    ]),
  ).toEqual([
    { path: "\u212a.sh", other: "K.sh" },
    { path: "scripts/A\u030a", other: "scripts/\u00c5" },
  ]);
});

test("capitals, and letters that only look alike, are files of their own", () => {
  expect(findTwinPaths(["a.sh", "A.sh", "\u0430.sh", "caf\u00e9", "cafe"])).toEqual([]);
});
