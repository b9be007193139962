import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { LocalSource } from "../source/local/local-source.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { indexResources } from "./index-resources.ts";
import type { TreeFile } from "./read-tree.ts";
import { readTree } from "./read-tree.ts";

const options = { isSkill: () => false };

async function readAll(source: LocalSource): Promise<TreeFile[]> {
  const files: TreeFile[] = [];
  for await (const file of readTree(source, "a", options)) files.push(file);
  return files;
}

test("every file comes once, in byte order, with its mode; a link is its text", async () => {
  const root = writeTree(temporaryDirectory(), {
    "a/SKILL.md": skillText("a"),
    "a/scripts/z.sh": { text: "z", mode: 0o755 },
    "a/scripts/link": { link: "../../outside" },
    "a/Z": "",
    "a/é": "e",
    "a/.git/HEAD": "x",
  });
  const source = new LocalSource(root);
  const files = await readAll(source);
  expect(files.map(({ path, mode, bytes }) => [path, mode, Buffer.from(bytes).toString()])).toEqual([
    ["SKILL.md", "644", skillText("a")],
    ["Z", "644", ""],
    ["scripts/link", "120000", "../../outside"],
    ["scripts/z.sh", "755", "z"],
    ["é", "644", "e"],
  ]);
  const entries = files.map(
    ({ path, mode, bytes }): TreeEntry => ({ path, mode, digest: digestBytes(bytes), size: bytes.length }),
  );
  const { treeDigest } = await indexResources(source, { folder: "a", file: "SKILL.md" }, options);
  expect(digestTree(entries)).toBe(treeDigest);
});

test("what an index would not see whole is not read", async () => {
  const root = writeTree(temporaryDirectory(), { "a/SKILL.md": skillText("a"), "a/inner/SKILL.md": "" });
  await expect(readAll(new LocalSource(root))).rejects.toMatchObject({
    code: "skill-tree-unreadable",
    data: { reason: "nested-skill-not-found" },
  });
});

test("a file beyond the bound is not read", async () => {
  const root = writeTree(temporaryDirectory(), { "a/SKILL.md": skillText("a") });
  writeFileSync(join(root, "a/data"), Buffer.alloc(64 * 1024 * 1024 + 1));
  chmodSync(join(root, "a/data"), 0o600);
  await expect(readAll(new LocalSource(root))).rejects.toMatchObject({
    code: "skill-tree-unreadable",
    data: { reason: "resource-too-large" },
  });
});

test("a signal ends the reading", async () => {
  const root = writeTree(temporaryDirectory(), { "a/SKILL.md": skillText("a") });
  const signal = AbortSignal.abort();
  const files = readTree(new LocalSource(root), "a", { ...options, signal });
  await expect(files.next()).rejects.toMatchObject({ name: "AbortError" });
});

test("a skill with two spellings of one path has no digest and is not read", async () => {
  const root = writeTree(temporaryDirectory(), {
    "a/SKILL.md": skillText("a"),
    "a/scripts/\u00c5.sh": "help",
    "a/scripts/A\u030a.sh": "harm",
  });
  const source = new LocalSource(root);
  const index = await indexResources(source, { folder: "a", file: "SKILL.md" }, options);
  expect(index.treeDigest).toBeUndefined();
  expect(index.diagnostics).toMatchObject([
    {
      code: "path-spelled-twice",
      severity: "error",
      file: join(root, "a/scripts/\u00c5.sh"),
      hint: "Rename or remove one of the two, then reload.",
    },
  ]);
  await expect(readAll(source)).rejects.toMatchObject({
    code: "skill-tree-unreadable",
    data: { reason: "path-spelled-twice" },
  });
});
