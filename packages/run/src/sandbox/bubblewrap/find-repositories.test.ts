import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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
    isComplete: true,
  });
});

test("what lies too deep is not searched, and said so", async () => {
  make("1/2/3/4/5/.git", "1/2/3/4/5/6/.git");
  expect(await findRepositories(root)).toEqual({ paths: [join(root, "1/2/3/4/5/.git")], isComplete: false });
});

test("of many repositories the nearest are taken, and said so", async () => {
  make(...Array.from({ length: 60 }, (_, index) => `r${index}/.git`));
  const { paths, isComplete } = await findRepositories(root);
  expect([paths.length, isComplete]).toEqual([50, false]);
});

test("of too many entries the rest is not searched, and said so", async () => {
  make("full", "near/.git", "z/deep/.git");
  for (let index = 0; index < 10_000; index += 1) writeFileSync(join(root, "full", String(index)), "");
  expect(await findRepositories(root)).toEqual({ paths: [], isComplete: false });
});
