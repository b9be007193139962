import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identifyProcess } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createQuarantine } from "./quarantine.ts";

let root: string;
let home: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-quarantine-")));
  home = join(root, "home");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("it is for its owner alone, hidden from search tools, and goes with all that is in it", async () => {
  const quarantine = await createQuarantine(home);
  expect(statSync(quarantine.directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, "quarantine")).mode & 0o777).toBe(0o700);
  for (const marker of [".ignore", ".gitignore"])
    expect(readFileSync(join(home, "quarantine", marker), "utf8")).toBe("*\n");
  mkdirSync(join(quarantine.directory, "a"));
  writeFileSync(join(quarantine.directory, "a/b"), "x", { mode: 0o400 });
  await quarantine.remove();
  expect(existsSync(quarantine.directory)).toBe(false);
  expect(existsSync(`${quarantine.directory}.json`)).toBe(false);
  await quarantine.remove();
});

test("what a dead process left is taken away, what a living one uses stays", async () => {
  const mine = await createQuarantine(home);
  const sleeper = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(sleeper, "spawn");
  const dead = spawnSync("true").pid;
  const { started: _, ...here } = identifyProcess();
  const leave = (name: string, pid: number): string => {
    const directory = join(home, "quarantine", `fetch-${name.repeat(24)}`);
    mkdirSync(directory);
    writeFileSync(join(directory, "x"), "x");
    writeFileSync(`${directory}.json`, JSON.stringify({ ...here, pid }));
    return directory;
  };
  const gone = leave("a", dead);
  const alive = leave("b", sleeper.pid!);
  const unknown = leave("c", dead);
  writeFileSync(`${unknown}.json`, "{");
  const strange = join(home, "quarantine", "other");
  mkdirSync(strange);
  await createQuarantine(home);
  expect([gone, alive, unknown, strange, mine.directory].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(existsSync(`${gone}.json`)).toBe(false);
  sleeper.kill("SIGKILL");
  await once(sleeper, "exit");
});

test("several at once have each their own", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => createQuarantine(home)));
  expect(new Set(all.map(({ directory }) => directory)).size).toBe(8);
  expect(all.every(({ directory }) => existsSync(directory))).toBe(true);
});

test("a link in its place is refused, and nothing is written through it", async () => {
  mkdirSync(join(root, "elsewhere"));
  mkdirSync(home);
  symlinkSync(join(root, "elsewhere"), join(home, "quarantine"));
  await expect(createQuarantine(home)).rejects.toMatchObject({ code: "quarantine-unusable" });
  expect(existsSync(join(root, "elsewhere/.ignore"))).toBe(false);
});

test("a file in its place is named", async () => {
  mkdirSync(home);
  writeFileSync(join(home, "quarantine"), "x");
  await expect(createQuarantine(home)).rejects.toMatchObject({ code: "quarantine-unusable" });
});
