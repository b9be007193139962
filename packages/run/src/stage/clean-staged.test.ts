import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanSometimes, cleanStaged } from "./clean-staged.ts";
import { stageSkill, withStagedSkill } from "./stage-skill.ts";
import { CountedFiles, digestOf, treeFiles } from "./testing/tree-files.ts";

const NOW = new Date("2026-06-01T00:00:00Z");
const DAY = 24 * 60 * 60 * 1000;
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY);

let root: string;
let directory: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-clean-")));
  directory = join(root, "cache", "staged");
});
afterEach(() => removeTree(root));

const stage = async (text: string, used: Date) => {
  const files = treeFiles({ "SKILL.md": text, "scripts/a.sh": "" });
  return await stageSkill({
    digest: digestOf(files),
    files: new CountedFiles(files),
    directory,
    clock: () => used,
  });
};
const present = (): string[] =>
  readdirSync(directory)
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
    .sort();
const names = (...digests: Digest[]): string[] => digests.map((digest) => digest.slice(7)).sort();

test("what was not used for thirty days goes, the rest stays", async () => {
  await stage("old", daysAgo(31));
  const young = await stage("young", daysAgo(29));
  await cleanStaged({ directory, now: NOW });
  expect(present()).toEqual(names(young.skill.digest));
});

test("beyond the size the least recently used go first, until the rest fits", async () => {
  const all: Digest[] = [];
  for (const days of [4, 3, 2, 1]) all.push((await stage(`${days}`.repeat(100), daysAgo(days))).skill.digest);
  await cleanStaged({ directory, maxBytes: 250, now: NOW });
  expect(present()).toEqual(names(...all.slice(2)));
});

test("what a run uses stays, however long it was unused before", async () => {
  const old = await stage("old", daysAgo(400));
  await withStagedSkill(
    old,
    () => NOW,
    () => cleanStaged({ directory, maxBytes: 0, now: NOW }),
  );
  expect(present()).toEqual(names(old.skill.digest));
  const later = new Date(NOW.getTime() + DAY);
  await cleanStaged({ directory, maxBytes: 0, now: later });
  expect(present()).toEqual([]);
  expect(
    await withStagedSkill(
      old,
      () => later,
      async () => "used",
    ),
  ).toBe("changed");
});

test("leftovers of crashed stagings and cleanings go, read-only folders too; a staging under way stays", async () => {
  const young = await stage("young", NOW);
  for (const name of [`.staging-${"b".repeat(32)}`, `.removed-${"c".repeat(32)}`]) {
    mkdirSync(join(directory, name, "deep"), { recursive: true });
    writeFileSync(join(directory, name, "deep", "file"), "");
    chmodSync(join(directory, name, "deep"), 0o555);
    utimesSync(join(directory, name), daysAgo(1), daysAgo(1));
  }
  await cleanStaged({ directory, now: NOW });
  expect(readdirSync(directory)).toEqual([young.skill.digest.slice(7)]);

  const files = treeFiles({ "SKILL.md": "slow" });
  const slow = async function* () {
    yield* files;
    await cleanStaged({ directory, now: new Date() });
  };
  const staged = await stageSkill({ digest: digestOf(files), files: slow(), directory });
  expect(present()).toContain(staged.skill.digest.slice(7));
});

test("cleaning happens once an hour, and goes on doing so in a process that lives long", async () => {
  await stage("old", daysAgo(400));
  expect(await cleanSometimes(directory, NOW)).toEqual([]);
  expect(present()).toEqual([]);
  const again = await stage("old", daysAgo(400));
  expect(await cleanSometimes(directory, NOW)).toEqual([]);
  expect(present()).toEqual(names(again.skill.digest));
  expect(await cleanSometimes(directory, new Date(NOW.getTime() + 2 * 60 * 60 * 1000))).toEqual([]);
  expect(present()).toEqual([]);
});
