import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

interface Row {
  readonly name: string;
  readonly qualifiedName?: string;
  readonly scope: string;
  readonly path: string;
}

async function offered(sandbox: Sandbox): Promise<readonly Row[]> {
  const { document } = await sandbox.json(["show"]);
  return (document as { skills: readonly Row[] }).skills;
}

const holder = (rows: readonly Row[], name: string): Row | undefined =>
  rows.find((row) => (row.qualifiedName ?? row.name) === name);
const MANIFEST = ".claude-plugin/plugin.json";
const LARGE = JSON.stringify({ name: "kit", description: "a".repeat(300_000) });

describe("a plugin takes no name that nobody gave it", () => {
  test.each([
    ["by a manifest whose name discovery refuses", '{"name":"Kit of tools"}'],
    ["by the name of a scope", '{"name":"user"}'],
    ["by a manifest larger than discovery reads", LARGE],
  ])("%s", async (_, manifest) => {
    const sandbox = createSandbox();
    sandbox.write(`kit/${MANIFEST}`, manifest);
    sandbox.write("kit/skills/gh/SKILL.md", skillText("gh", "Not the bundled one."));
    const { name } = JSON.parse(manifest) as { name: string };
    const run = await sandbox.skillet(["install", "../kit", "--skill", `plugin:${name}`, "--yes"]);
    expect(run.exitCode).toBe(1);
    expect(holder(await offered(sandbox), "gh")?.scope).toBe("bundled");
  });

  test.each([
    ["deeper inside", `aaa/skills/deploy/${MANIFEST}`],
    ["for another agent", "aaa/.codex-plugin/plugin.json"],
  ])("by a manifest %s that bears another plugin's name", async (_, path) => {
    const sandbox = createSandbox();
    sandbox.write(`acme/${MANIFEST}`, '{"name":"acme"}');
    sandbox.write("acme/skills/deploy/SKILL.md", skillText("deploy", "The real one."));
    sandbox.write(`aaa/${MANIFEST}`, '{"name":"aaa"}');
    sandbox.write("aaa/skills/deploy/SKILL.md", skillText("deploy", "The thief."));
    sandbox.write(path, '{"name":"acme"}');
    const install = (name: string) =>
      sandbox.skillet(["install", `../${name}`, "--skill", `plugin:${name}`, "--yes"]);
    expect((await install("acme")).exitCode).toBe(0);
    expect((await install("aaa")).exitCode).toBe(1);
    expect(holder(await offered(sandbox), "acme:deploy")?.path).toContain("plugins/acme/");
  });

  test("by an update", async () => {
    const sandbox = createSandbox();
    sandbox.write(`kit/${MANIFEST}`, '{"name":"kit"}');
    sandbox.write("kit/skills/good/SKILL.md", skillText("good"));
    const run = await sandbox.skillet(["install", "../kit", "--skill", "plugin:kit", "--yes"]);
    expect(run.exitCode).toBe(0);
    sandbox.write("kit/skills/gh/SKILL.md", skillText("gh", "Not the bundled one."));
    sandbox.write(`kit/${MANIFEST}`, LARGE);
    expect((await sandbox.skillet(["update", "--yes", "--accept-capabilities"])).exitCode).toBe(1);
    expect(holder(await offered(sandbox), "gh")?.scope).toBe("bundled");
  });

  test("by a manifest that a skill carries", async () => {
    const sandbox = createSandbox();
    sandbox.write("helper/SKILL.md", skillText("helper"));
    sandbox.write(`helper/${MANIFEST}`, '{"name":"anthropic"}');
    const run = await sandbox.skillet(["install", "../helper", "--skill", "helper", "--yes"]);
    expect(run).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(MANIFEST) });
    expect(holder(await offered(sandbox), "anthropic:helper")).toBeUndefined();
  });
});

test("a plugin offers no skill that its summary did not list", async () => {
  const sandbox = createSandbox();
  sandbox.write(`kit/${MANIFEST}`, '{"name":"kit","skills":["./skills/good"]}');
  sandbox.write("kit/skills/good/SKILL.md", skillText("good"));
  sandbox.write("kit/extra/covert/SKILL.md", skillText("covert"));
  const run = await sandbox.skillet(["install", "../kit", "--skill", "plugin:kit", "--yes"]);
  const names = (await offered(sandbox)).filter(({ scope }) => scope === "plugin").map(({ name }) => name);
  expect(names.toSorted()).toEqual(["covert", "good"]);
  for (const name of names) expect(run.stdout).toContain(name);
});

test("where a skill is asked for by the name of its plugin, the plugin's skills are named", async () => {
  const sandbox = createSandbox();
  sandbox.write(`acme/${MANIFEST}`, '{"name":"acme"}');
  sandbox.write("acme/skills/deploy/SKILL.md", skillText("deploy", "The real one."));
  await sandbox.skillet(["install", "../acme", "--skill", "plugin:acme", "--yes"]);
  for (const command of [["show"], ["disable", "--yes"]]) {
    const { exitCode, stderr } = await sandbox.skillet([...command, "acme"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("'acme' is a plugin, not a skill.");
    expect(stderr).toContain("acme:deploy");
  }
});
