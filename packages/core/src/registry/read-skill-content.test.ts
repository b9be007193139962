import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digestBytes, digestTree } from "../digest.ts";
import { temporaryDirectory } from "../files/testing/temporary-directory.ts";
import { LocalSource } from "../source/local/local-source.ts";
import { MemorySource } from "../source/memory-source.ts";
import { writeTree } from "../testing/write-tree.ts";
import { indexResources } from "./index-resources.ts";
import { contentDigest, readCommandContent, readSkillContent } from "./read-skill-content.ts";

const SKILL = { folder: "x", file: "SKILL.md" };
const BOUNDS = { maxFileBytes: 100, maxTotalBytes: 150, isSkill: () => false };
const shown = (files: readonly { path: string; mode: string; bytes: Uint8Array; unread?: string }[]) =>
  files.map(({ bytes, ...file }) => ({ ...file, text: Buffer.from(bytes).toString("utf8") }));

test("every file is read, with the digest that an index gives", async () => {
  const root = writeTree(temporaryDirectory(), {
    "x/SKILL.md": "# x\n",
    "x/scripts/a.sh": { text: "echo\n", mode: 0o755 },
    "x/link": { link: "scripts/a.sh" },
  });
  const source = new LocalSource(root);
  const { files, digest } = await readSkillContent(source, SKILL, BOUNDS);
  expect(shown(files)).toEqual([
    { path: "SKILL.md", mode: "644", text: "# x\n" },
    { path: "link", mode: "120000", text: "scripts/a.sh" },
    { path: "scripts/a.sh", mode: "755", text: "echo\n" },
  ]);
  expect(digest).toBe((await indexResources(source, SKILL, BOUNDS)).treeDigest);
});

test("what is too much for memory is digested and told, not kept", async () => {
  const source = new MemorySource({
    "x/SKILL.md": "a".repeat(80),
    "x/b": "b".repeat(101),
    "x/c": "c".repeat(80),
  });
  const { files, digest } = await readSkillContent(source, SKILL, BOUNDS);
  const why = (bytes: number): string =>
    `it has ${bytes} bytes; at most 100 of a file and 150 of a skill are scanned`;
  expect(shown(files)).toEqual([
    { path: "SKILL.md", mode: "644", text: "a".repeat(80) },
    { path: "b", mode: "644", text: "", unread: why(101) },
    { path: "c", mode: "644", text: "", unread: why(80) },
  ]);
  expect(digest).toBe((await indexResources(source, SKILL, BOUNDS)).treeDigest);
});

test("a folder that hides behind a SKILL.md which nobody found is told, and there is no digest", async () => {
  const source = new LocalSource(
    writeTree(temporaryDirectory(), { "x/SKILL.md": "# x\n", "x/in/SKILL.md": "" }),
  );
  const { files, digest } = await readSkillContent(source, SKILL, BOUNDS);
  expect(shown(files)).toEqual([
    { path: "in/SKILL.md", mode: "644", text: "", unread: expect.stringContaining("no digest covers") },
    { path: "SKILL.md", mode: "644", text: "# x\n" },
  ]);
  expect(digest).toBe(undefined);
});

test("a SKILL.md that is a link counts with the text it leads to", async () => {
  const root = writeTree(temporaryDirectory(), { "text.md": "# one\n", "x/a": "" });
  symlinkSync("../text.md", join(root, "x/SKILL.md"));
  const source = new LocalSource(root);
  const one = await readSkillContent(source, SKILL, BOUNDS);
  expect(shown(one.files)[0]).toEqual({ path: "SKILL.md", mode: "644", text: "# one\n" });
  writeTree(root, { "text.md": "# two\n" });
  const two = await readSkillContent(source, SKILL, BOUNDS);
  const { treeDigest } = await indexResources(source, SKILL, BOUNDS);
  expect(two.digest).not.toBe(one.digest);
  expect(two.digest).toBe(contentDigest({ treeDigest, linkedSkill: digestBytes(Buffer.from("# two\n")) }));
});

test("a command is its one file", async () => {
  const source = new MemorySource({ "x/a.md": "Do a.", "x/b.md": "Do b." });
  const { files, digest } = await readCommandContent(source, { folder: "x", file: "a.md" }, BOUNDS);
  expect(shown(files)).toEqual([{ path: "a.md", mode: "644", text: "Do a." }]);
  expect(digest).toBe(digestBytes(Buffer.from("Do a.")));
});

test("without a linked file the digest is the tree's, and without a tree there is none", () => {
  const treeDigest = digestTree([]);
  expect(contentDigest({ treeDigest })).toBe(treeDigest);
  expect(contentDigest({ linkedSkill: treeDigest })).toBe(undefined);
});
