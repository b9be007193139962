import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { digestBytes, digestTree } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { LocalSource } from "../source/local/local-source.ts";
import { MemorySource } from "../source/memory-source.ts";
import { writeTree } from "../testing/write-tree.ts";
import { contentDigest } from "./content-digest.ts";
import { indexResources } from "./index-resources.ts";
import { readCommandContent, readSkillContent } from "./read-skill-content.ts";

const SKILL = { folder: "x", file: "SKILL.md" };
const BOUNDS = { maxFileBytes: 100, maxTotalBytes: 150 };
const INDEXED = { isSkill: () => false };
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
  expect(digest).toBe((await indexResources(source, SKILL, INDEXED)).treeDigest);
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
  expect(digest).toBe((await indexResources(source, SKILL, INDEXED)).treeDigest);
});

test("a nested skill is read with the one around it, whose text can lead there, and counts in its digest", async () => {
  const root = writeTree(temporaryDirectory(), {
    "x/SKILL.md": "# x\n",
    "x/in/SKILL.md": "",
    "x/in/run.sh": "1",
  });
  const source = new LocalSource(root);
  const one = await readSkillContent(source, SKILL, BOUNDS);
  expect(one.files.map(({ path, unread }) => [path, unread])).toEqual([
    ["SKILL.md", undefined],
    ["in/SKILL.md", undefined],
    ["in/run.sh", undefined],
  ]);
  const before = source.stamp("x");
  writeTree(root, { "x/in/run.sh": "22" });
  const two = await readSkillContent(source, SKILL, BOUNDS);
  expect([two.digest === one.digest, two.readDigest === one.readDigest]).toEqual([false, true]);
  expect(source.stamp("x")?.text).not.toBe(before?.text);
});

test("what hides in a repository is read; its history is not, unless the skill names it", async () => {
  const root = writeTree(temporaryDirectory(), {
    "x/SKILL.md": "Run .git/run.sh and `sh .git/objects/ab/cd`.",
    "x/.git/HEAD": "ref: refs/heads/main\n",
    "x/.git/run.sh": "1",
    "x/.git/objects/ab/cd": "2",
    "x/.git/objects/ab/ef": "3",
  });
  const content = await readSkillContent(new LocalSource(root), SKILL, BOUNDS);
  expect(shown(content.files).map(({ path, text }) => [path, text])).toEqual([
    [".git/objects/ab/cd", "2"],
    [".git/run.sh", "1"],
    ["SKILL.md", "Run .git/run.sh and `sh .git/objects/ab/cd`."],
  ]);
  expect([content.digest === undefined, content.isElsewhere]).toEqual([false, true]);
});

test("an ordinary repository around a skill changes nothing about it", async () => {
  const plain = writeTree(temporaryDirectory(), { "x/SKILL.md": "# x\n" });
  const cloned = writeTree(temporaryDirectory(), {
    "x/SKILL.md": "# x\n",
    "x/.git/HEAD": "ref: refs/heads/main\n",
    "x/.git/index": "",
    "x/.git/refs/heads/main": "",
    "x/.git/hooks/pre-commit.sample": "",
  });
  const [one, other] = await Promise.all(
    [plain, cloned].map((root) => readSkillContent(new LocalSource(root), SKILL, BOUNDS)),
  );
  expect(other).toEqual(one);
});

test("what a link leads to inside the roots is read in its place; what is outside is told", async () => {
  const outside = writeTree(temporaryDirectory(), { "y.sh": "y" });
  const root = writeTree(temporaryDirectory(), {
    "x/SKILL.md": "# x\n",
    "x/in.sh": { link: "../shared/in.sh" },
    "x/out.sh": { link: `${outside}/y.sh` },
    "x/gone.sh": { link: "nowhere.sh" },
    "shared/in.sh": "1",
  });
  const source = new LocalSource(root);
  const one = await readSkillContent(source, SKILL, BOUNDS);
  expect(shown(one.files)).toEqual([
    { path: "SKILL.md", mode: "644", text: "# x\n" },
    { path: "gone.sh", mode: "120000", text: "nowhere.sh" },
    { path: "in.sh", mode: "644", text: "1" },
    {
      path: "out.sh",
      mode: "644",
      text: "",
      unread: expect.stringContaining("leads out of the skill roots"),
    },
  ]);
  expect([one.digest, one.isElsewhere]).toEqual([undefined, true]);
});

test("a SKILL.md that is a link counts with the text it leads to", async () => {
  const root = writeTree(temporaryDirectory(), { "text.md": "# one\n", "x/a": "" });
  symlinkSync("../text.md", join(root, "x/SKILL.md"));
  const source = new LocalSource(root);
  const one = await readSkillContent(source, SKILL, BOUNDS);
  expect(shown(one.files)[0]).toEqual({ path: "SKILL.md", mode: "644", text: "# one\n" });
  writeTree(root, { "text.md": "# two\n" });
  const two = await readSkillContent(source, SKILL, BOUNDS);
  const { treeDigest } = await indexResources(source, SKILL, INDEXED);
  expect(two.digest).not.toBe(one.digest);
  expect(two.digest).toBe(
    contentDigest({ kind: "skill", treeDigest, linkedSkill: digestBytes(Buffer.from("# two\n")) }),
  );
});

test("a command is its one file", async () => {
  const source = new MemorySource({ "x/a.md": "Do a.", "x/b.md": "Do b." });
  const { files, digest } = await readCommandContent(source, { folder: "x", file: "a.md" }, BOUNDS);
  expect(shown(files)).toEqual([{ path: "a.md", mode: "644", text: "Do a." }]);
  expect(digest).toBe(contentDigest({ kind: "command", treeDigest: digestBytes(Buffer.from("Do a.")) }));
});

test("of an ordinary skill the digest is the tree's, and without a tree there is none", () => {
  const treeDigest = digestTree([]);
  expect(contentDigest({ kind: "skill", treeDigest })).toBe(treeDigest);
  expect(contentDigest({ kind: "skill", linkedSkill: treeDigest })).toBe(undefined);
});

test("no text of a command has the digest of a skill's folder", () => {
  const bytes = Buffer.from("# x\n");
  const entry = { path: "SKILL.md", mode: "644", digest: digestBytes(bytes), size: bytes.length } as const;
  const tree = digestTree([entry]);
  // The very bytes that the tree's digest is the hash of.
  const decoy = Buffer.from(`644 ${entry.digest.slice("sha256:".length)} ${bytes.length}\0SKILL.md\n`);
  expect(digestBytes(decoy)).toBe(tree);
  expect(contentDigest({ kind: "command", treeDigest: digestBytes(decoy) })).not.toBe(tree);
  const kinds = [
    contentDigest({ kind: "command", treeDigest: tree }),
    contentDigest({ kind: "skill", treeDigest: tree }),
    contentDigest({ kind: "skill", treeDigest: tree, linkedSkill: tree }),
    contentDigest({ kind: "skill", treeDigest: tree, beyond: [entry] }),
  ];
  expect(new Set(kinds).size).toBe(kinds.length);
});
