import { expect, test } from "vitest";
import { digestBytes, digestTree, type TreeEntry } from "./digest.ts";

const file = (path: string, text: string, mode: TreeEntry["mode"] = "644"): TreeEntry => {
  const bytes = Buffer.from(text);
  return { path, mode, digest: digestBytes(bytes), size: bytes.length };
};

test("a tree digest equals the published vector, whatever order the files come in", () => {
  const entries = [file("scripts/run.sh", "echo hi\n", "755"), file("SKILL.md", "# x\n")];
  const expected = "sha256:92dbc8e305159b9456261a4f15eb375b8031cd727c75a4e2c878a2177cc3e4b8";
  expect(digestTree(entries)).toBe(expected);
  expect(digestTree(entries.reverse())).toBe(expected);
});

test("mode, path and content each change a tree digest", () => {
  const base = digestTree([file("run", "x")]);
  expect(digestTree([file("run", "x", "755")])).not.toBe(base);
  expect(digestTree([file("ru", "nx")])).not.toBe(base);
  expect(digestTree([file("run", "y")])).not.toBe(base);
  expect(digestTree([file("run", "x", "120000")])).not.toBe(base);
});

test("composed and decomposed spellings of a path give one digest", () => {
  expect(digestTree([file("caf\u00e9.md", "x")])).toBe(digestTree([file("cafe\u0301.md", "x")]));
});

test("trees with several spellings of one path are told apart, in whatever order they come", () => {
  const [composed, sign, decomposed] = ["\u00c5.sh", "\u212b.sh", "A\u030a.sh"];
  const looked = [file(decomposed, "harm"), file(composed, "help")];
  expect(digestTree([...looked].reverse())).toBe(digestTree(looked));
  const digests = [
    looked,
    [file(composed, "harm"), file(sign, "help")],
    [file(composed, "harm"), file(decomposed, "help")],
    [file(sign, "harm"), file(decomposed, "help")],
    [file(composed, "harm")],
  ].map(digestTree);
  expect(new Set(digests).size).toBe(digests.length);
});
