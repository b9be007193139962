import { expect, test } from "vitest";
import { fileTree, newerTagLines, showPin, showRef } from "./report-results.ts";

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

test("newer tags are told by source and tag, with a command that has a path's dollars as they are", () => {
  const newer = (name: string, tag: string) => {
    const source = `git:file:///srv/a$$b$&#${tag}@${name}`;
    return { name, newerTag: { tag, source, command: `skillet install '${source}' --global` } };
  };
  const other = newer("four", "v2");
  const forCodex = { ...other.newerTag, command: `${other.newerTag.command} --agent codex` };
  const rows = [
    ...[newer("one", "v2"), newer("two", "v2"), newer("three", "v3")],
    { ...other, newerTag: forCodex },
  ];
  const layout = { width: 500, colours: {}, environment: {} } as Parameters<typeof newerTagLines>[1];
  expect(newerTagLines(rows, layout)).toEqual([
    "one and two stay at their tag; v2 is newer: skillet install 'git:file:///srv/a$$b$&#v2' --skill one --skill two --global",
    "three stays at its tag; v3 is newer: skillet install 'git:file:///srv/a$$b$&#v3@three' --global",
    "four stays at its tag; v2 is newer: skillet install 'git:file:///srv/a$$b$&#v2@four' --global --agent codex",
  ]);
});

test("a newer tag that lost the skill is told in one sentence", () => {
  const newerTag = { tag: "v2", source: "x", command: "skillet install x", refused: "" };
  const layout = { width: 500, colours: {}, environment: {} } as Parameters<typeof newerTagLines>[1];
  const told = newerTagLines([{ name: "one", newerTag }], layout);
  expect(told).toEqual(["one stays at its tag; v2 is newer, but no longer has it."]);
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
