import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkills, type Skills } from "@skillet/core";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const CLI = join(import.meta.dirname, "../../packages/cli/bin/skillet.cjs");
const CORE = join(import.meta.dirname, "../../packages/core/dist/index.js");

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "skillet-hostile-")));
  root = join(base, "skills");
  mkdirSync(root);
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
});

const skill = (name: string, description = "Does it."): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody.\n`;

const write = (name: string, text: string): void => {
  mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, name, "SKILL.md"), text);
};

const open = (): Promise<Skills> => openSkills({ roots: [root], workspace: base, home: join(base, "home") });

test("a SKILL.md of a gigabyte is refused unread, and its sibling loads", async () => {
  write("good", skill("good"));
  write("huge", "");
  truncateSync(join(root, "huge/SKILL.md"), 1024 ** 3);
  const { snapshot } = await open();
  expect(snapshot.skills.map(({ name }) => name)).toEqual(["good"]);
  expect(
    snapshot.diagnostics.map(({ code, range, hint }) => [code, range?.line, hint !== undefined]),
  ).toEqual([["skill-too-large", 1, true]]);
});

test("a device in place of SKILL.md is reported and not opened", async (context) => {
  write("good", skill("good"));
  mkdirSync(join(root, "device"));
  const made = spawnSync("mknod", [join(root, "device/SKILL.md"), "c", "1", "5"]);
  if (made.status !== 0) context.skip("only the superuser can make a device");
  const { snapshot } = await open();
  expect(snapshot.skills.map(({ name }) => name)).toEqual(["good"]);
  expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["not-a-file"]);
});

test("a name with terminal escapes reaches the screen as visible marks, in text and in JSON", () => {
  write("evil", '---\nname: "evil\\e]0;owned\\a\\e[2J"\ndescription: "\\e[31mred\\u202etxt"\n---\n');
  for (const args of [["show"], ["show", "--json"], ["explain", "evil"], ["doctor"], ["catalog"]]) {
    const { stdout, stderr } = spawnSync(process.execPath, [CLI, ...args, "--skills-root", root], {
      encoding: "utf8",
      env: { ...process.env, HOME: base, SKILLET_HOME: join(base, "home"), FORCE_COLOR: "0" },
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(stdout + stderr).not.toBe("");
  }
});

const RELOADER = `
  const [core, root, home] = process.argv.slice(1);
  const { openSkills } = await import(core);
  const skills = await openSkills({ roots: [root], home });
  let rounds = 0;
  process.stdin.on("data", () => process.exit(0));
  for (;;) {
    const { snapshot } = await skills.reload();
    for (const { name, manifest } of snapshot.skills)
      if (!manifest.description.startsWith(name)) throw new Error("torn: " + name + " " + manifest.description);
    if (++rounds === 5) process.stdout.write("ready");
    await new Promise((resolve) => setImmediate(resolve));
  }`;

test("processes that reload over one cache while files change see whole skills, and agree in the end", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `skill-${index}`);
  for (const name of names) write(name, skill(name, `${name} 0`));
  const home = join(base, "home");
  const readers = [1, 2].map(() =>
    spawn(process.execPath, ["--input-type=module", "--eval", RELOADER, "--", CORE, root, home]),
  );
  onTestFinished(() => {
    for (const reader of readers) reader.kill("SIGKILL");
  });
  const errors = readers.map((reader) => reader.stderr.setEncoding("utf8").toArray());
  await Promise.all(readers.map((reader) => once(reader.stdout, "data")));
  for (let round = 1; round <= 150; round++) {
    const name = names[round % names.length] ?? "";
    if (round % 7 === 0) rmSync(join(root, name), { recursive: true });
    else write(name, skill(name, `${name} ${round}`));
    // Whole turns for the readers to fall in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const reader of readers) reader.stdin.write("stop");
  const codes = await Promise.all(readers.map(async (reader) => (await once(reader, "exit"))[0]));
  expect([codes, (await Promise.all(errors)).flat()]).toEqual([[0, 0], []]);
  const warm = (await open()).snapshot;
  const cold = (await openSkills({ roots: [root], home, cacheDirectory: false })).snapshot;
  expect(JSON.stringify(warm.skills)).toBe(JSON.stringify(cold.skills));
});

test("a FIFO as SKILL.md, ignore file, plugin manifest or settings holds nobody up", async () => {
  write("good", skill("good"));
  for (const path of [
    "a/SKILL.md",
    "b/.gitignore",
    "good/agents/openai.yaml",
    "c/.claude-plugin/plugin.json",
  ]) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    execFileSync("mkfifo", [join(root, path)]);
  }
  const { snapshot } = await open();
  expect(snapshot.skills.map(({ name }) => name)).toEqual(["good"]);
  expect(snapshot.diagnostics.map(({ code }) => code)).toContain("not-a-file");
});
