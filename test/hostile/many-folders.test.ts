import { accessSync, constants, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkills, type Skills } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import { codes } from "./place.ts";

// Where there is a file system in memory, because making so many folders on a disk takes longer than searching them.
function temporaryFolder(): string {
  const folder = mkdtempSync(join(memoryFolder(), "skillet-many-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function memoryFolder(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}

function open(root: string): Promise<Skills> {
  return openSkills({
    workspace: root,
    userHome: root,
    environment: {},
    roots: [root],
    cacheDirectory: false,
  });
}

const SIBLINGS = 100_000;
// A file system counts the names of one file; most let it have 65,000.
const NAMES_A_FILE = 50_000;

test("a hundred thousand siblings all load, each by its own name", async () => {
  const root = temporaryFolder();
  let first = "";
  for (let index = 0; index < SIBLINGS; index++) {
    const folder = `${root}/s${index}`;
    mkdirSync(folder);
    if (index % NAMES_A_FILE === 0) {
      first = `${folder}/SKILL.md`;
      writeFileSync(first, "---\ndescription: One of many.\n---\n");
    } else linkSync(first, `${folder}/SKILL.md`);
  }
  const skills = await open(root);
  expect(skills.snapshot.skills).toHaveLength(SIBLINGS);
  expect(new Set(skills.snapshot.skills.map(({ qualifiedName }) => qualifiedName)).size).toBe(SIBLINGS);
  expect(codes(skills)).toEqual([]);
});

test("a tree deeper than the limit ends there, says so, and keeps what lies above", async () => {
  const root = temporaryFolder();
  const steps = Array.from({ length: 60 }, (_, index) => `d${index}`);
  mkdirSync(join(root, ...steps), { recursive: true });
  for (const depth of [6, 7])
    writeFileSync(
      join(root, ...steps.slice(0, depth), "SKILL.md"),
      `---\nname: at-${depth}\ndescription: Deep.\n---\n`,
    );
  const skills = await open(root);
  expect(skills.snapshot.skills.map(({ name }) => name)).toEqual(["at-6"]);
  expect(codes(skills)).toEqual(["depth-limit"]);
});
