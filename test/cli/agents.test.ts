import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

/** A person with four agents and a plugin of Claude Code. */
function machine(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("home/.claude/skills/pdf/SKILL.md", skillText("pdf"));
  sandbox.write("home/.agents/skills/pdf/SKILL.md", skillText("pdf"));
  sandbox.write("home/.codex/skills/slack/SKILL.md", skillText("slack"));
  sandbox.write("home/.gemini/skills/kubernetes/SKILL.md", skillText("kubernetes"));
  sandbox.write("home/.skillet/skills/mine/SKILL.md", skillText("mine"));
  const path = join(sandbox.home, ".claude/plugins/cache/market/kit/1.0.0");
  sandbox.write("home/.claude/plugins/cache/market/kit/1.0.0/skills/review/SKILL.md", skillText("review"));
  sandbox.write(
    "home/.claude/plugins/installed_plugins.json",
    JSON.stringify({ version: 2, plugins: { "kit@market": [{ scope: "user", installPath: path }] } }),
  );
  for (const folder of [".codex", ".gemini", ".cursor", ".github"])
    sandbox.write(`project/${folder}/skills/of${folder}/SKILL.md`, skillText(`of${folder}`));
  return sandbox;
}

interface Row {
  readonly qualifiedName: string;
  readonly state: string;
  readonly agents: readonly string[];
}
const rowsOf = async (sandbox: Sandbox, ...words: string[]): Promise<Record<string, readonly string[]>> => {
  const { document } = await sandbox.json(["show", ...words]);
  const rows: readonly Row[] = document.skills;
  return Object.fromEntries(rows.map(({ qualifiedName, agents }) => [qualifiedName, agents]));
};

describe("on a machine with several agents", () => {
  test("show finds what each of them reads, says which do, and shows copies once", async () => {
    expect(await rowsOf(machine(), "--scope", "user", "--scope", "plugin", "--scope", "project")).toEqual({
      pdf: ["claude-code", "codex", "gemini-cli"],
      slack: ["codex"],
      kubernetes: ["gemini-cli"],
      mine: [],
      "kit:review": ["claude-code"],
      "of.codex": ["codex"],
      "of.gemini": ["gemini-cli"],
      "of.cursor": [],
      "of.github": [],
    });
  });

  test("show --agent lists what one of them reads, whether it is in use here or not", async () => {
    const sandbox = machine();
    expect(Object.keys(await rowsOf(sandbox, "--agent", "codex"))).toEqual(["of.codex", "pdf", "slack"]);
    expect(await rowsOf(sandbox, "--agent", "github-copilot")).toEqual({
      "of.github": ["github-copilot"],
      pdf: ["claude-code", "codex", "gemini-cli", "github-copilot"],
    });
    const { stdout } = await sandbox.skillet([
      "show",
      "--agent",
      "all",
      "--scope",
      "user",
      "--scope",
      "plugin",
    ]);
    const titles = stdout.split("\n").filter((line) => line.startsWith("["));
    expect(titles).toEqual(["[Claude Code]", "[Codex]", "[Gemini CLI]"]);
  });

  test("an agent that is not known is refused with the one that was meant", async () => {
    const { exitCode, stderr } = await machine().skillet(["show", "--agent", "claud-code"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("There is no agent called claud-code.");
    expect(stderr).toContain("Did you mean claude-code?");
  });

  test("install links for those in use, one link for a folder that several read, and says so", async () => {
    const sandbox = machine();
    sandbox.write("skills/alpha/SKILL.md", skillText("alpha"));
    const { exitCode, stdout } = await sandbox.skillet(["install", "../skills/alpha", "--yes"]);
    expect(exitCode).toBe(0);
    const told = stdout.replace(/\s+/g, " ");
    expect(told).toContain("Read by Claude Code, Codex, Gemini CLI To make no links: --agent none");
    expect(lstatSync(join(sandbox.home, ".claude/skills/alpha")).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(sandbox.home, ".agents/skills/alpha")).isSymbolicLink()).toBe(true);
    expect(existsSync(join(sandbox.home, ".gemini/skills/alpha"))).toBe(false);
    expect((await rowsOf(sandbox, "alpha")).alpha).toEqual(["claude-code", "codex", "gemini-cli"]);
    await sandbox.skillet(["remove", "alpha", "--yes"]);
    expect(existsSync(join(sandbox.home, ".agents/skills/alpha"))).toBe(false);
  });

  test("install --agent none, and hub.agents [none], keep it in the library", async () => {
    const sandbox = machine();
    for (const name of ["alpha", "beta"]) sandbox.write(`skills/${name}/SKILL.md`, skillText(name));
    await sandbox.skillet(["install", "../skills/alpha", "--yes", "--agent", "none"]);
    sandbox.write("home/.skillet/config.yaml", "hub:\n  agents: [none]\n");
    await sandbox.skillet(["install", "../skills/beta", "--yes"]);
    expect(await rowsOf(sandbox, "alpha", "beta")).toEqual({ alpha: [], beta: [] });
    const { exitCode } = await sandbox.skillet(["install", "../skills/beta", "--agent", "none,codex"]);
    expect(exitCode).toBe(2);
  });

  test("install into a project links where an agent in use does not read the project's own folder", async () => {
    const sandbox = machine();
    sandbox.write("skills/alpha/SKILL.md", skillText("alpha"));
    const { stdout } = await sandbox.skillet(["install", "../skills/alpha", "--project", "--yes"]);
    expect(stdout.replace(/\s+/g, " ")).toContain("Read by Claude Code, Codex, Gemini CLI To make no links");
    expect(readlinkSync(join(sandbox.project, ".claude/skills/alpha"))).toBe("../../.agents/skills/alpha");
  });

  test("install links for each agent that does not have a skill yet, beside one that has, and tells who reads it", async () => {
    const sandbox = machine();
    sandbox.write("skills/slack/SKILL.md", skillText("slack"));
    const { stdout } = await sandbox.skillet(["install", "../skills/slack", "--yes"]);
    expect(stdout).toContain("not for   Codex: it is there already\n");
    expect(stdout).toContain("Read by Claude Code, Codex, Gemini CLI\n");
    expect(existsSync(join(sandbox.home, ".agents/skills/slack"))).toBe(false);
    expect((await rowsOf(sandbox, "slack")).slack).toEqual(["claude-code", "codex", "gemini-cli"]);
    const again = await sandbox.skillet(["install", "../skills/slack", "--yes"]);
    expect(again.stdout).toContain("Read by Claude Code, Codex, Gemini CLI");
  });

  test("install makes no link for agents that would not load a skill, names them, and does not call them readers", async () => {
    const sandbox = machine();
    sandbox.write("skills/plain/SKILL.md", "# Plain\n\nAsk for the ticket first.\n");
    const { stdout } = await sandbox.skillet(["install", "../skills/plain", "--yes"]);
    expect(stdout).toContain("not for   Codex and Gemini CLI: it has no header\n");
    expect(stdout).toContain("Read by Claude Code\n");
    expect(existsSync(join(sandbox.home, ".agents/skills/plain"))).toBe(false);
    const project = await sandbox.skillet(["install", "../skills/plain", "--project", "--yes"]);
    expect(project.stdout.replace(/\s+/g, " ")).toContain(
      "Read by Claude Code; not read by Codex, Gemini CLI (it has no header)",
    );
  });

  test("install says that no agent reads it where none is in use", async () => {
    const sandbox = createSandbox();
    sandbox.write("skills/alpha/SKILL.md", skillText("alpha"));
    const { stdout } = await sandbox.skillet(["install", "../skills/alpha", "--yes"]);
    const project = await sandbox.skillet(["install", "../skills/alpha", "--project", "--yes"]);
    expect(project.stdout).not.toContain("No agent");
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "No agent in use here reads Skillet's library. Link it for one with --agent ID",
    );
  });

  test("explain says which of them read a skill", async () => {
    const sandbox = machine();
    const { document } = await sandbox.json(["explain", "slack"]);
    expect(document.agents).toEqual(["codex"]);
    const { stdout } = await sandbox.skillet(["explain", "pdf"]);
    expect(stdout).toMatch(/read by +Claude Code, Codex, Gemini CLI/);
  });
});

test("a plugin that Claude Code's settings turn off is shown as off, and neither read nor offered", async () => {
  const sandbox = createSandbox();
  const installPath = join(sandbox.home, ".claude/plugins/cache/market/acme/1.0.0");
  sandbox.write("home/.claude/plugins/cache/market/acme/1.0.0/.claude-plugin/plugin.json", '{"name":"acme"}');
  sandbox.write("home/.claude/plugins/cache/market/acme/1.0.0/skills/deploy/SKILL.md", skillText("deploy"));
  const plugins = { "acme@market": [{ scope: "user", installPath }] };
  sandbox.write("home/.claude/plugins/installed_plugins.json", JSON.stringify({ version: 2, plugins }));
  expect((await sandbox.json(["show", "acme:deploy"])).document.skills).toMatchObject([
    { state: "enabled", agents: ["claude-code"] },
  ]);
  sandbox.write("home/.claude/settings.json", '{"enabledPlugins":{"acme@market":false}}');
  expect((await sandbox.json(["show", "deploy"])).document.skills).toMatchObject([
    {
      qualifiedName: "acme:deploy",
      state: "disabled",
      reason: "the plugin acme is turned off in Claude Code",
      agents: [],
      switchedOff: ["claude-code"],
    },
  ]);
  expect((await sandbox.skillet(["catalog"])).stdout).not.toContain("deploy");
});
