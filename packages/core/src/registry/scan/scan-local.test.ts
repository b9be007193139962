import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { LocalSource } from "../../source/local/local-source.ts";
import { skillText, type TreeContent, writeTree } from "../../testing/write-tree.ts";
import { discoverSkills } from "../discover-skills.ts";
import { type SnapshotJson, snapshotToJson } from "../snapshot-json.ts";

const AFTER_SETTLING_MS = 10_000;

async function search(path: string, cacheDirectory: string | undefined): Promise<SnapshotJson> {
  const source = new LocalSource(path);
  const snapshot = await discoverSkills({
    roots: [{ scope: "explicit", origin: "local", source, path, trust: { kind: "trusted" } }],
    // Later than it is, so that what was just written counts as settled and is kept.
    clock: () => Date.now() + AFTER_SETTLING_MS,
    ...(cacheDirectory !== undefined && { cacheDirectory }),
  });
  return snapshotToJson(snapshot);
}

test.each<readonly [string, Readonly<Record<string, TreeContent>>]>([
  ["a link out of the root", { "a/out": { link: "/etc" } }],
  ["a link to another skill", { "a/other": { link: "../b" } }],
  ["a misspelled SKILL.md", { "a/Skill.md": "x" }],
  ["a second spelling of SKILL.md", { "a/skill.md": skillText("a") }],
  ["a sub-folder with a skill", { "a/inner/SKILL.md": skillText("inner") }],
])("a skill without sub-folders that gains %s is the same warm and cold", async (_, change) => {
  const base = temporaryDirectory();
  const cache = join(base, "cache");
  const root = writeTree(join(base, "skills"), {
    "a/SKILL.md": skillText("a"),
    "b/SKILL.md": skillText("b"),
  });
  await search(root, cache);
  writeTree(root, change);
  expect(await search(root, cache)).toEqual(await search(root, undefined));
});
