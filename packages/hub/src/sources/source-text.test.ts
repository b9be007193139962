import { execFileSync, spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRef, isCommitId } from "./source-text.ts";

test.each(["main", "feature/one", "v1.0.0", "tool@1.0", "release-2", "a#b", "ünï", "refs/heads/main"])(
  "%s is the name of a ref",
  (ref) => {
    expect(checkRef(ref)).toBeUndefined();
  },
);

test.each([
  "",
  "-x",
  "--upload-pack=x",
  "a b",
  "a..b",
  "a~1",
  "a^",
  "a:b",
  "a?",
  "a*",
  "a[",
  "a\\b",
  "@",
  "a@{1}",
])("%j is refused", (ref) => {
  expect(checkRef(ref)).toEqual(expect.any(String));
});

const hasGit = spawnSync("git", ["--version"]).status === 0;
if (!hasGit) console.warn("Names of refs are not compared with git's own rules: git is not installed.");

test.skipIf(!hasGit)("no name is let through that git's own rules refuse", () => {
  const character = fc.constantFrom(..."ab/.@{}-~^:?*[\\ #%_", "\u0001", "é", ".lock", "..");
  const accepted: string[] = [];
  fc.assert(
    fc.property(fc.array(character, { minLength: 1, maxLength: 6 }), (parts) => {
      const ref = parts.join("");
      if (checkRef(ref) === undefined) accepted.push(ref);
    }),
    { numRuns: 3_000 },
  );
  const distinct = [...new Set(accepted)].slice(0, 60);
  expect(distinct.length).toBeGreaterThan(20);
  for (const ref of distinct) execFileSync("git", ["check-ref-format", `refs/heads/${ref}`]);
});

test("only full ids in lower case are commits", () => {
  expect(isCommitId("a".repeat(40))).toBe(true);
  expect(isCommitId("a".repeat(64))).toBe(true);
  expect(isCommitId("A".repeat(40))).toBe(false);
  expect(isCommitId("a".repeat(39))).toBe(false);
});
