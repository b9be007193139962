import { mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRepositories } from "./find-repositories.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-repositories-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const make = (...paths: readonly string[]): void => {
  for (const path of paths) mkdirSync(join(root, path), { recursive: true });
};

test("repositories are found in folders, as links to them and bare, and not in installed packages", async () => {
  make(
    ".git/modules/inner",
    "a/.git",
    "b/store/objects",
    "b/store/refs",
    "node_modules/x/.git",
    "b/only/refs",
  );
  writeFileSync(join(root, "b/store/HEAD"), "");
  make("a/tree");
  writeFileSync(join(root, "a/tree/.git"), "gitdir: elsewhere");
  expect(await findRepositories(root)).toEqual({
    paths: [".git", "a/.git", "a/tree/.git", "b/store"].map((path) => join(root, path)),
    closed: [],
    isComplete: true,
  });
});

test("what lies too deep is not searched, and said so", async () => {
  make("1/2/3/4/5/.git", "1/2/3/4/5/6/.git");
  expect(await findRepositories(root)).toEqual({
    paths: [join(root, "1/2/3/4/5/.git")],
    closed: [],
    isComplete: false,
  });
});

test("a folder with more repositories than can be guarded is refused", async () => {
  make(...Array.from({ length: 200 }, (_, index) => `r${index}/.git`));
  expect((await findRepositories(root)).paths).toHaveLength(200);
  make("one-more/.git");
  await expect(findRepositories(root)).rejects.toThrow(
    `A script cannot be given ${root}: it has more than 200 repositories and folders that cannot be listed, so the repositories in it cannot be kept safe; grant a smaller folder.`,
  );
});

test("a repository is found after a folder with many files", async () => {
  make("full", "z/deep/.git");
  for (let index = 0; index < 10_001; index += 1) writeFileSync(join(root, "full", String(index)), "");
  expect(await findRepositories(root)).toEqual({
    paths: [join(root, "z/deep/.git")],
    closed: [],
    isComplete: true,
  });
});

test("a folder with more entries than are searched is refused", async () => {
  make("full", "near/.git");
  for (let index = 0; index < 6; index += 1) writeFileSync(join(root, "full", String(index)), "");
  // Three of the root itself count as well.
  expect((await findRepositories(root, { maxEntries: 9 })).paths).toEqual([join(root, "near/.git")]);
  await expect(findRepositories(root, { maxEntries: 8 })).rejects.toThrow(
    `A script cannot be given ${root}: it has more than 8 entries, so the repositories in it cannot be kept safe; grant a smaller folder.`,
  );
});

test("a folder with more folders than are searched is refused", async () => {
  make("a/b", "c", "node_modules/d");
  expect((await findRepositories(root, { maxFolders: 4 })).isComplete).toBe(true);
  await expect(findRepositories(root, { maxFolders: 3 })).rejects.toThrow("it has more than 3 folders");
});

// Other systems refuse such names themselves.
test.runIf(process.platform === "linux")(
  "a folder whose name is not UTF-8 is refused, and a file of such a name is not",
  async () => {
    const name = Buffer.from([0x63, 0xe9]);
    const strange = Buffer.concat([Buffer.from(`${root}/`), name]);
    writeFileSync(strange, "");
    expect(await findRepositories(root)).toEqual({ paths: [], closed: [], isComplete: true });
    rmSync(strange);
    mkdirSync(strange);
    await expect(findRepositories(root)).rejects.toThrow(`the name of ${root}/c\uFFFD is not UTF-8`);
    rmdirSync(strange);
  },
);
