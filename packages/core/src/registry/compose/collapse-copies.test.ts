import { linkSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { LocalSource } from "../../source/local/local-source.ts";
import { MemorySource } from "../../source/memory-source.ts";
import type { FileListing, SkillSource, SourceRead } from "../../source/skill-source.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { discoverSkills } from "../discover-skills.ts";
import type { Snapshot } from "../snapshot.ts";

const MEBIBYTE = 1024 * 1024;

const discover = (...sources: readonly SkillSource[]): Promise<Snapshot> =>
  discoverSkills({
    roots: sources.map((source) => ({
      scope: "explicit",
      origin: "local",
      path: source.toolPath(""),
      source,
      trust: { kind: "trusted" },
    })),
  });

/** Counts what is read of it after discovery, which has its own way to SKILL.md. */
class CountingSource extends LocalSource {
  bytes = 0;

  override async read(...parameters: Parameters<LocalSource["read"]>): Promise<SourceRead> {
    const read = await super.read(...parameters);
    this.bytes += read.bytes.length;
    return read;
  }
}

test("comparing copies reads a bounded number of bytes, and says which were not compared", async () => {
  const root = temporaryDirectory();
  const large = join(root, "large");
  writeFileSync(large, "");
  truncateSync(large, 40 * MEBIBYTE);
  for (const name of ["one", "two", "three"]) {
    writeTree(root, { [`skills/${name}/SKILL.md`]: skillText("same") });
    linkSync(large, join(root, `skills/${name}/data`));
  }
  const source = new CountingSource(join(root, "skills"));
  const snapshot = await discover(source);
  expect(source.bytes).toBeLessThanOrEqual(128 * MEBIBYTE);
  // In byte order: one, three, two.
  expect(snapshot.diagnostics.map(({ code, file }) => [code, file.slice(root.length)])).toEqual([
    ["identical-copy", "/skills/three/SKILL.md"],
    ["identical-copy", "/skills/two/SKILL.md"],
  ]);
  writeTree(root, { "skills/four/SKILL.md": skillText("same") });
  linkSync(large, join(root, "skills/four/data"));
  const again = new CountingSource(join(root, "skills"));
  expect(
    (await discover(again)).diagnostics.map(({ code, file }) => [code, file.slice(root.length)]),
  ).toEqual([
    ["identical-copy", "/skills/one/SKILL.md"],
    ["identical-copy", "/skills/three/SKILL.md"],
    ["copy-not-compared", "/skills/two/SKILL.md"],
  ]);
  expect(again.bytes).toBeLessThanOrEqual(128 * MEBIBYTE);
});

test("skills of nothing but SKILL.md, and those whose files differ in name or size, are told apart without reading", async () => {
  const root = writeTree(temporaryDirectory(), {
    "a/one/SKILL.md": skillText("alone"),
    "a/two/SKILL.md": skillText("alone"),
    "b/one/SKILL.md": skillText("named"),
    "b/one/x.md": "x",
    "b/two/SKILL.md": skillText("named"),
    "b/two/y.md": "x",
    "c/one/SKILL.md": skillText("sized"),
    "c/one/x.md": "x",
    "c/two/SKILL.md": skillText("sized"),
    "c/two/x.md": "xx",
  });
  const source = new CountingSource(root);
  const { skills } = await discover(source);
  expect(skills.map(({ name, alsoAt }) => [name, alsoAt.length])).toEqual([
    ["alone", 1],
    ["named", 0],
    ["sized", 0],
    ["named", 0],
    ["sized", 0],
  ]);
  expect(source.bytes).toBe(0);
});

/** Removes a folder between the search that found it and the look at its files. */
class VanishingSource extends LocalSource {
  override listFiles(folder: string): Promise<FileListing> {
    rmSync(join(this.canonicalRoot, folder), { recursive: true });
    return super.listFiles(folder);
  }
}

test("copies that vanish before they are compared stay in this snapshot, one beside the other", async () => {
  const root = writeTree(temporaryDirectory(), {
    "one/SKILL.md": skillText("same"),
    "two/SKILL.md": skillText("same"),
  });
  const { skills } = await discover(new VanishingSource(root));
  expect(skills.map(({ qualifiedName }) => qualifiedName)).toEqual(["explicit:same", "same"]);
});

test("a source that fails while copies are compared keeps nobody from being found", async () => {
  const failing = new MemorySource({ "a/SKILL.md": skillText("a"), "b/SKILL.md": skillText("a") });
  failing.listFiles = () => Promise.reject(new Error("connection reset"));
  const { skills } = await discover(
    failing,
    new MemorySource({ "c/SKILL.md": skillText("c") }, { id: "other" }),
  );
  expect(skills.map(({ qualifiedName }) => qualifiedName)).toEqual(["a", "c", "explicit:a"]);
});
