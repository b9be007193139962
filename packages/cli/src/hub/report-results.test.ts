import { expect, test } from "vitest";
import { fileTree, showPin, showRef } from "./report-results.ts";

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

const DIGEST = `sha256:${"ab".repeat(32)}` as const;

test("every kind of source shows which version it is", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const git = { kind: "git", url: "https://example.test/x", ref: "refs/heads/feature/a", commit } as const;
  expect([showPin(git), showRef(git)]).toEqual(["0123456", "feature/a"]);
  expect(showPin({ kind: "npm", name: "x", version: "1.2.3", integrity: "sha512-" })).toBe("1.2.3");
  expect(showPin({ kind: "local", path: "/x" }, DIGEST)).toBe("abababababab");
  expect(showPin({ kind: "archive", location: "/x.zip", digest: DIGEST })).toBe("abababababab");
  expect(showPin({ kind: "well-known", index: "https://example.test", name: "x" }, DIGEST)).toBe(
    "abababababab",
  );
  expect(showPin({ kind: "oci", registry: "r", repository: "p", tag: "1.0", digest: DIGEST })).toBe("1.0");
});
