import { expect, test } from "vitest";
import { fileTree } from "./file-tree.ts";

test("folders are counted, and a long list says how much is left out", () => {
  expect(fileTree(["SKILL.md", "scripts/a.sh", "scripts/lib/b.sh"])).toEqual([
    "├ SKILL.md",
    "└ scripts/ (2)",
  ]);
  const many = Array.from({ length: 20 }, (_, index) => `file-${index}`);
  expect(fileTree(many)).toHaveLength(12);
  expect(fileTree(many).at(-1)).toBe("└ and 9 more");
  expect(fileTree([])).toEqual([]);
});
