import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { readAudit } from "@skillet/core";
import { AGENTS } from "@skillet/core/internal";
import { type Hub, readSwitchRecords, type SwitchRequest } from "@skillet/hub";
import { describe, expect, test } from "vitest";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  skillText,
  wanted,
  writeFiles,
} from "../../../hub/src/testing/hub-sandbox.ts";
import { planSwitch } from "../testing/plan-switch.ts";
import { planSwitches, type SwitchPlan } from "./plan-switch.ts";

/** A skill in folders of a user's home, as discovery tells of it. */
function skillAt(
  machine: HubSandbox,
  folder: string,
  ...others: readonly string[]
): NonNullable<SwitchRequest["skill"]> {
  const files = [folder, ...others].map((one) => join(machine.userHome, one, "SKILL.md"));
  for (const file of files)
    if (!existsSync(file)) writeFiles(dirname(file), { "SKILL.md": skillText("pdf"), "notes/a.txt": "mine" });
  const [path = "", ...alsoAt] = files;
  return {
    name: "pdf",
    directoryName: "pdf",
    kind: "skill",
    path,
    alsoAt,
    source: { id: "x", folder: "pdf", file: "SKILL.md" },
  };
}

function planned(
  machine: HubSandbox,
  hub: Hub,
  request: SwitchRequest,
  path = process.env.PATH,
): Promise<SwitchPlan> {
  const { home, userHome } = machine;
  return planSwitch({ home, userHome, hub, environment: { PATH: path, HOME: userHome } }, request);
}

async function change(machine: HubSandbox, request: Omit<SwitchRequest, "name">): Promise<SwitchPlan> {
  const hub = await machine.openUser();
  const plan = await planned(machine, hub, { name: "pdf", ...request });
  await hub.applySwitch(plan);
  return plan;
}

const disable = (machine: HubSandbox, skill: SwitchRequest["skill"], more: Partial<SwitchRequest> = {}) =>
  change(machine, { action: "disable", skill, ...more });
const enable = (machine: HubSandbox, skill?: SwitchRequest["skill"], more: Partial<SwitchRequest> = {}) =>
  change(machine, { action: "enable", skill, ...more });

const read = (machine: HubSandbox, path: string): string =>
  readFileSync(join(machine.userHome, path), "utf8");

describe("an agent with a switch of its own", () => {
  test.each([
    [".claude/skills/pdf", ".claude/settings.json", '"skillOverrides": { "pdf": "off" }'],
    [".codex/skills/pdf", ".codex/config.toml", "enabled = false"],
    [".gemini/skills/pdf", ".gemini/settings.json", '"disabled": ["pdf"]'],
    [".config/opencode/skills/pdf", ".config/opencode/opencode.json", '"pdf": "deny"'],
  ])(
    "is told by it about %s, and told back; a file that was made for it is gone again",
    async (folder, file, says) => {
      const machine = hubSandbox();
      const skill = skillAt(machine, folder);
      const { remaining, steps } = await disable(machine, skill);
      expect([remaining, steps.map(({ record }) => record.kind)]).toEqual([[], ["edit"]]);
      expect(read(machine, file)).toContain(says);
      expect(existsSync(skill.path)).toBe(true);
      expect((await disable(machine, skill)).steps).toEqual([]);
      await enable(machine, skill);
      expect(existsSync(join(machine.userHome, file))).toBe(false);
      expect(existsSync(join(machine.home, "disabled.json"))).toBe(false);
    },
  );

  test.each([
    [".claude/skills/group/pdf", ".claude/settings.json", '"skillOverrides": { "pdf": "off" }'],
    [".gemini/skills/group/pdf", ".gemini/settings.json", '"disabled": ["pdf"]'],
  ])("is told about %s too, where its loader is said not to look", async (folder, file, says) => {
    const machine = hubSandbox();
    const skill = skillAt(machine, folder);
    expect((await disable(machine, skill)).remaining).toEqual([]);
    expect(read(machine, file)).toContain(says);
    await enable(machine, skill);
    expect(existsSync(join(machine.userHome, file))).toBe(false);
  });

  test("has its settings changed exactly and back, comments and layout included, and it is recorded", async () => {
    const machine = hubSandbox();
    const text = '{\n    // by hand\n    "model": "opus",\n}';
    const skill = skillAt(machine, ".claude/skills/pdf");
    writeFiles(machine.userHome, { ".claude/settings.json": text });
    await disable(machine, skill);
    await enable(machine, skill);
    expect(read(machine, ".claude/settings.json")).toBe(text);
    const records = [];
    for await (const { record } of readAudit(join(machine.home, "audit.jsonl"))) records.push(record);
    expect(records.map((record) => [record?.action, record?.skill, record?.reason])).toEqual([
      ["disable", "pdf", "claude-code: skillOverrides"],
      ["enable", "pdf", "claude-code: skillOverrides"],
    ]);
  });

  test("that the user turned off by hand is turned on by enable, as a step of its own that is asked about", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf");
    writeFiles(machine.userHome, { ".claude/settings.json": '{"skillOverrides":{"pdf":"off"},"a":1}' });
    expect((await enable(machine, skill)).steps.map(({ byHand }) => byHand)).toEqual([true]);
    expect(read(machine, ".claude/settings.json")).toBe('{"a":1}');
  });

  test("is not told by a name that another skill has too: a project's skill is called as it likes", async () => {
    const machine = hubSandbox();
    const skill = { ...skillAt(machine, ".claude/skills/pdf"), directoryName: "deploy" };
    const called = (...names: readonly string[]) =>
      names.map((name) => ({
        ...skill,
        name,
        directoryName: name,
        path: join(machine.userHome, `.claude/skills/other/${name}/SKILL.md`),
      }));
    const others = called("deploy");
    await disable(machine, skill, { others });
    expect(read(machine, ".claude/settings.json")).toContain('{ "pdf": "off" }');
    await enable(machine, skill, { others });
    const text = '{"skillOverrides":{"pdf":"off","deploy":"off"}}';
    writeFiles(machine.userHome, { ".claude/settings.json": text });
    const foreign = { others: called("deploy", "pdf"), isProjects: true };
    await enable(machine, skill, foreign);
    expect(read(machine, ".claude/settings.json")).toBe(text);
    const told = await enable(machine, skill, { others, isProjects: true });
    expect(told.remaining).toMatchObject([{ reason: expect.stringContaining("Skillet did not write that") }]);
    expect(read(machine, ".claude/settings.json")).toBe(text);
    writeFiles(machine.userHome, { ".claude/settings.json": "{}" });
    const { steps, remaining } = await disable(machine, skill, foreign);
    expect([steps, remaining]).toMatchObject([[], [{ reason: "another skill has its name" }]]);
  });

  test("told of one skill alone is not told by a name that another of the user's skills has there, unless that one is disabled too", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf");
    const at = (folder: string, state: "enabled" | "disabled") => {
      const path = join(machine.userHome, folder, "SKILL.md");
      return { asked: "user:pdf", others: [{ ...skill, state, path }] };
    };
    const other = ".claude/skills/other/pdf";
    const { steps, remaining } = await disable(machine, skill, at(other, "enabled"));
    expect([steps, remaining]).toMatchObject([[], [{ reason: "another skill has its name" }]]);
    for (const harmless of [at(other, "disabled"), at(".codex/skills/pdf", "enabled")]) {
      expect((await disable(machine, skill, harmless)).remaining).toEqual([]);
      await enable(machine, skill);
    }
  });

  test("whose settings are a link to dotfiles keeps the link, and the file behind it is changed", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf");
    writeFiles(machine.userHome, { "dotfiles/claude.json": "{}\n" });
    symlinkSync("../dotfiles/claude.json", join(machine.userHome, ".claude/settings.json"));
    await disable(machine, skill);
    expect(readlinkSync(join(machine.userHome, ".claude/settings.json"))).toBe("../dotfiles/claude.json");
    expect(read(machine, "dotfiles/claude.json")).toContain('"off"');
    await enable(machine, skill);
    expect(read(machine, "dotfiles/claude.json")).toBe("{}\n");
  });

  test.each([
    ["not JSON", "never {"],
    ["of more than a megabyte", `{"a":"${"x".repeat(1024 * 1024)}"}`],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
  ])("whose settings are %s is left alone, and how to do it by hand is said", async (_, text) => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf");
    writeFiles(machine.userHome, { ".claude/settings.json": text });
    const { steps, remaining } = await disable(machine, skill);
    expect(steps).toEqual([]);
    expect(remaining[0]?.remedy).toBe(
      `In ${join(machine.userHome, ".claude/settings.json")}, add "skillOverrides": { "pdf": "off" }`,
    );
    expect(readFileSync(join(machine.userHome, ".claude/settings.json"))).toEqual(Buffer.from(text));
  });

  test("is told about several skills of one command at once, and back, by one writing of its settings", async () => {
    const machine = hubSandbox();
    const skills = ["pdf", "csv"].map((name) => {
      const skill = skillAt(machine, `.codex/skills/${name}`, `.gemini/skills/${name}`);
      return { ...skill, name, directoryName: name };
    });
    const text = '{\n  "theme": "dark"\n}\n';
    writeFiles(machine.userHome, { ".gemini/settings.json": text });
    const hub = await machine.openUser();
    const { home, userHome } = machine;
    const parts = { home, userHome, hub, environment: { PATH: process.env.PATH, HOME: userHome } };
    for (const action of ["disable", "enable"] as const) {
      const requests = skills.map((skill) => ({ action, name: skill.name, skill }));
      const { steps, plans } = await planSwitches(parts, requests);
      expect(plans.map((plan) => [plan.name, plan.steps.length])).toEqual([
        ["pdf", 2],
        ["csv", 2],
      ]);
      await hub.applySwitch({ action, steps });
      if (action === "enable") break;
      expect(JSON.parse(read(machine, ".gemini/settings.json")).skills.disabled).toEqual(["csv", "pdf"]);
      expect(read(machine, ".codex/config.toml").match(/enabled = false/g)).toHaveLength(2);
    }
    expect(read(machine, ".gemini/settings.json")).toBe(text);
    expect(existsSync(join(userHome, ".codex/config.toml"))).toBe(false);
    expect(await readSwitchRecords(home)).toEqual([]);
  });

  test("whose settings change between the plan and the change is left alone", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf");
    const hub = await machine.openUser();
    const plan = await planned(machine, hub, { action: "disable", name: "pdf", skill });
    writeFiles(machine.userHome, { ".claude/settings.json": '{"new": 1}' });
    await expect(hub.applySwitch(plan)).rejects.toThrow("was changed by another program meanwhile");
    expect(read(machine, ".claude/settings.json")).toBe('{"new": 1}');
  });

  test.each([
    ["of the project itself", "work/.claude/skills/pdf", { isProjects: true }],
    ["of the user's, for one project only", ".claude/skills/pdf", { projectOnly: true }],
  ])("is told about a skill %s by the settings there that are one person's own", async (_, folder, more) => {
    const machine = hubSandbox();
    mkdirSync(join(machine.userHome, ".claude"), { recursive: true });
    const skill = skillAt(machine, folder);
    const at = { projectRoot: join(machine.userHome, "work"), ...more };
    const { remaining } = await disable(machine, skill, at);
    expect([remaining, existsSync(join(machine.userHome, ".claude/settings.json"))]).toEqual([[], false]);
    expect(read(machine, "work/.claude/settings.local.json")).toContain('{ "pdf": "off" }');
    const elsewhere = { ...at, projectRoot: join(machine.userHome, "other") };
    await enable(machine, skill, elsewhere);
    expect(read(machine, "work/.claude/settings.local.json")).toContain('{ "pdf": "off" }');
    await enable(machine, skill, at);
    expect(existsSync(join(machine.userHome, "work/.claude/settings.local.json"))).toBe(false);
  });

  test.each([
    [
      "git tracks them",
      (work: string) => {
        writeFiles(work, { ".claude/settings.local.json": "{}" });
        execFileSync("git", ["init", "-q"], { cwd: work });
        execFileSync("git", ["add", "."], { cwd: work });
      },
    ],
    [
      "they are a link",
      (work: string) => {
        writeFiles(dirname(work), { "target.json": "{}" });
        symlinkSync("../../target.json", join(work, ".claude/settings.local.json"));
      },
    ],
  ])(
    "is not told by settings of a project where %s, and how to do it by hand is said",
    async (_, prepare) => {
      const machine = hubSandbox();
      mkdirSync(join(machine.userHome, ".claude"), { recursive: true });
      const work = join(machine.userHome, "work");
      const skill = skillAt(machine, "work/.claude/skills/pdf");
      prepare(work);
      const { steps, remaining } = await disable(machine, skill, { projectRoot: work, isProjects: true });
      expect([steps, remaining]).toMatchObject([
        [],
        [{ agents: ["claude-code"], remedy: expect.stringContaining('"pdf": "off"') }],
      ]);
      expect(read(machine, "work/.claude/settings.local.json")).toBe("{}");
    },
  );

  test("is the only one that is told where only it is named, and told back alone", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf", ".gemini/skills/pdf");
    const agents = (id: string) => ({ agents: AGENTS.filter((agent) => agent.id === id) });
    const told = await disable(machine, skill, agents("gemini-cli"));
    expect(told.steps.map(({ record }) => record.agents)).toEqual([["gemini-cli"]]);
    await disable(machine, skill, agents("claude-code"));
    await enable(machine, skill, agents("gemini-cli"));
    expect(read(machine, ".claude/settings.json")).toContain('"off"');
    expect(existsSync(join(machine.userHome, ".gemini/settings.json"))).toBe(false);
  });
});

describe("an agent without one", () => {
  test("loses the folder, whole, into Skillet's store, and gets it back where it was", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".cursor/skills/pdf");
    chmodSync(join(machine.userHome, ".cursor/skills/pdf/notes/a.txt"), 0o600);
    const inode = lstatSync(dirname(skill.path)).ino;
    const { steps } = await disable(machine, skill);
    expect(steps.map(({ record }) => record.kind)).toEqual(["move"]);
    expect(existsSync(dirname(skill.path))).toBe(false);
    await enable(machine);
    expect(lstatSync(dirname(skill.path)).ino).toBe(inode);
    expect(existsSync(join(machine.home, "disabled"))).toBe(false);
  });

  test("that shares a folder with one that has a switch makes the move do for both", async () => {
    const machine = hubSandbox();
    mkdirSync(join(machine.userHome, ".cursor"));
    const skill = skillAt(machine, ".claude/skills/pdf");
    const { steps } = await disable(machine, skill);
    expect(steps.map(({ record }) => [record.kind, record.agents])).toEqual([
      ["move", ["claude-code", "cursor"]],
    ]);
  });

  test("keeps a folder that others read too where only it is named, in both directions", async () => {
    const machine = hubSandbox();
    mkdirSync(join(machine.userHome, ".cursor"));
    const skill = skillAt(machine, ".claude/skills/pdf");
    const agents = AGENTS.filter(({ id }) => id === "cursor");
    const { steps, remaining } = await disable(machine, skill, { agents });
    expect([steps, remaining]).toMatchObject([
      [],
      [{ agents: ["cursor"], remedy: expect.stringContaining("--agent cursor,claude-code") }],
    ]);
    await disable(machine, skill);
    const back = await enable(machine, undefined, { agents });
    expect([back.steps, back.remaining[0]?.remedy]).toEqual([
      [],
      expect.stringContaining("skillet enable pdf --agent claude-code,cursor"),
    ]);
  });

  test("that comes to a skill by a link loses the link and never what it leads to", async () => {
    const machine = hubSandbox();
    writeFiles(machine.userHome, { "work/pdf/SKILL.md": skillText("pdf") });
    mkdirSync(join(machine.userHome, ".cursor/skills"), { recursive: true });
    symlinkSync("../../work/pdf", join(machine.userHome, ".cursor/skills/pdf"));
    const skill = skillAt(machine, ".cursor/skills/pdf");
    await disable(machine, skill);
    expect(existsSync(join(machine.userHome, "work/pdf/SKILL.md"))).toBe(true);
    expect(existsSync(join(machine.userHome, ".cursor/skills/pdf"))).toBe(false);
    await enable(machine);
    expect(readlinkSync(join(machine.userHome, ".cursor/skills/pdf"))).toBe("../../work/pdf");
  });

  test("keeps what was put there meanwhile, and the skill waits in the store", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".cursor/skills/pdf");
    const [step] = (await disable(machine, skill)).steps;
    writeFiles(machine.userHome, { ".cursor/skills/pdf/SKILL.md": "another" });
    await expect(enable(machine)).rejects.toThrow("Something else is at");
    expect(read(machine, ".cursor/skills/pdf/SKILL.md")).toBe("another");
    if (step?.record.kind !== "move") throw new Error("it was not moved");
    expect(existsSync(join(step.record.to, "SKILL.md"))).toBe(true);
    rmSync(join(machine.userHome, ".cursor/skills/pdf"), { recursive: true });
    await enable(machine);
    expect(read(machine, ".cursor/skills/pdf/SKILL.md")).toContain("name: pdf");
  });

  test("goes on with files that git tracks, and is named", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".cursor/skills/pdf");
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: machine.userHome });
    git("init", "-q");
    const before = await disable(machine, skill);
    expect(before.steps).toHaveLength(1);
    await enable(machine);
    git("add", ".cursor/skills/pdf/SKILL.md");
    const { steps, remaining } = await disable(machine, skill);
    expect(steps).toEqual([]);
    expect(remaining).toMatchObject([{ agents: ["cursor"], reason: "git has it under version control" }]);
    const hub = await machine.openUser();
    const without = await planned(machine, hub, { action: "disable", name: "pdf", skill }, "");
    expect(without.steps).toEqual([]);
  });

  test("a repository whose config starts programs starts none", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".cursor/skills/pdf");
    execFileSync("git", ["init", "-q"], { cwd: machine.userHome });
    const mark = join(machine.folder, "started");
    execFileSync("git", ["config", "core.fsmonitor", `touch ${mark}; false`], { cwd: machine.userHome });
    await disable(machine, skill);
    expect(existsSync(mark)).toBe(false);
  });

  test("a repository that was put beside the skill is not the one that git is asked in", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".cursor/skills/pdf");
    execFileSync("git", ["init", "-q"], { cwd: machine.userHome });
    execFileSync("git", ["add", ".cursor"], { cwd: machine.userHome });
    // Plain files, as any repository may hold them; git takes their folder for one of its own.
    const planted = join(machine.userHome, ".cursor/skills");
    execFileSync("git", ["init", "-q", "--bare", planted]);
    writeFileSync(join(planted, "config"), "[core]\n\tbare = false\n\tworktree = .\n");
    const { steps, remaining } = await disable(machine, skill);
    expect(steps).toEqual([]);
    expect(remaining).toMatchObject([{ reason: "git has it under version control" }]);
  });

  test("does not lose the folder that holds all its skills", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".cursor/skills");
    expect((await disable(machine, skill)).steps).toEqual([]);
    expect(existsSync(skill.path)).toBe(true);
  });

  test("does not lose a project's folder that holds all its skills", async () => {
    const machine = hubSandbox();
    mkdirSync(join(machine.userHome, ".roo"));
    const skill = skillAt(machine, "work/.roo/skills");
    const { steps } = await disable(machine, skill, { projectRoot: join(machine.userHome, "work") });
    expect(steps).toEqual([]);
  });

  test.each([
    ["the user's home", ""],
    ["a project", "work"],
    ["a folder with other skills", "work/all"],
  ])("does not lose %s, though a SKILL.md lies in it", async (_, folder) => {
    const machine = hubSandbox();
    const skill = skillAt(machine, folder);
    const path = join(machine.userHome, "work/all/other/SKILL.md");
    const more = { projectRoot: join(machine.userHome, "work"), others: [{ ...skill, path }] };
    const { steps, remaining } = await change(machine, { action: "remove", skill, ...more });
    expect([steps, remaining]).toMatchObject([[], [{ reason: "its folder holds more than this skill" }]]);
  });

  test("a change that fails leaves what was done before it, which enable undoes", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf", ".cursor/skills/pdf");
    const hub = await machine.openUser();
    const plan = await planned(machine, hub, { action: "disable", name: "pdf", skill });
    expect(plan.steps).toHaveLength(2);
    rmSync(join(machine.userHome, ".cursor/skills/pdf"), { recursive: true });
    await expect(hub.applySwitch(plan)).rejects.toThrow("could not be moved");
    await enable(machine);
    expect([existsSync(skill.path), await readSwitchRecords(machine.home)]).toEqual([true, []]);
  });
});

describe("the plugins of Claude Code", () => {
  test("are its own: the skill stays, and how to turn the plugin off is said", async () => {
    const machine = hubSandbox();
    const folder = ".claude/plugins/cache/market/tools";
    const skill = skillAt(machine, `${folder}/skills/pdf`);
    const installPath = join(machine.userHome, folder);
    writeFiles(machine.userHome, {
      ".claude/plugins/installed_plugins.json": JSON.stringify({
        plugins: { "tools@market": [{ installPath }] },
      }),
    });
    const { steps, remaining } = await disable(machine, skill);
    expect(steps).toEqual([]);
    expect(remaining).toMatchObject([
      { agents: ["claude-code"], remedy: expect.stringContaining("/plugin") },
    ]);
  });
});

describe("a skill that Skillet installed", () => {
  test("loses its link by the lock, so that nothing is missing there, and gets it back", async () => {
    const machine = hubSandbox();
    mkdirSync(join(machine.userHome, ".cursor"));
    writeFiles(machine.folder, { "src/pdf/SKILL.md": skillText("pdf", BODIES.safe) });
    const hub = await machine.openUser();
    await hub.apply(await hub.planInstall(wanted(join(machine.folder, "src/pdf"), { agents: ["cursor"] })));
    const link = join(machine.userHome, ".cursor/skills/pdf");
    const skill = {
      ...skillAt(machine, ".cursor/skills/pdf"),
      path: join(machine.home, "plugins/pdf/SKILL.md"),
      alsoAt: [join(link, "SKILL.md")],
    };
    const { steps } = await disable(machine, skill);
    expect(steps.map(({ record }) => record.kind)).toEqual(["target"]);
    expect(existsSync(link)).toBe(false);
    expect((await hub.verify([])).map(({ drift }) => drift)).toEqual([[]]);
    await enable(machine, skill);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect((await hub.verify([])).map(({ drift }) => drift)).toEqual([[]]);
  });
});

describe("an installed skill that was edited", () => {
  async function editedMachine() {
    const machine = hubSandbox();
    mkdirSync(join(machine.userHome, ".cursor"));
    writeFiles(machine.folder, { "src/pdf/SKILL.md": skillText("pdf", BODIES.safe) });
    const hub = await machine.openUser();
    const request = wanted(join(machine.folder, "src/pdf"), { agents: ["cursor"] });
    await hub.apply(await hub.planInstall(request));
    const [own, placed] = [join(machine.home, "plugins/pdf"), join(machine.userHome, ".cursor/skills/pdf")];
    const edited = join(own, "SKILL.md");
    writeFileSync(edited, `${readFileSync(edited, "utf8")}my own line\n`);
    const skill = { ...skillAt(machine, "elsewhere/pdf"), path: join(placed, "SKILL.md") };
    return { machine, hub, skill, edited, placed };
  }

  test("loses its link and gets it back, and keeps the edits", async () => {
    const { machine, skill, edited, placed } = await editedMachine();
    await disable(machine, skill);
    expect(existsSync(placed)).toBe(false);
    await enable(machine, skill);
    expect(lstatSync(placed).isSymbolicLink()).toBe(true);
    expect(readFileSync(edited, "utf8")).toContain("my own line");
  });

  test("leaves no record of a change that failed, nor of those after it", async () => {
    const { machine, hub, skill } = await editedMachine();
    const request = { action: "disable", name: "pdf", skill } as const;
    const plan = await planned(machine, hub, request);
    writeFiles(machine.userHome, { ".claude/skills/csv/SKILL.md": skillText("csv", BODIES.safe) });
    const csv = { ...request, name: "csv", skill: skillAt(machine, ".claude/skills/csv") };
    const other = await planned(machine, hub, csv);
    rmSync(join(machine.userHome, ".cursor/skills/pdf"));
    writeFiles(machine.userHome, { ".cursor/skills/pdf/own.md": "mine" });
    const all = { action: "disable", steps: [...plan.steps, ...other.steps] } as const;
    await expect(hub.applySwitch(all)).rejects.toThrow("Skillet did not install");
    expect(await readSwitchRecords(machine.home)).toEqual([]);
  });
});

describe("a skill that was removed and installed again", () => {
  test("is disabled and enabled again by one record", async () => {
    const machine = hubSandbox();
    mkdirSync(join(machine.userHome, ".cursor"));
    writeFiles(machine.folder, { "src/pdf/SKILL.md": skillText("pdf", BODIES.safe) });
    const hub = await machine.openUser();
    const link = join(machine.userHome, ".cursor/skills/pdf");
    const skill = {
      ...skillAt(machine, "elsewhere/pdf"),
      path: join(machine.home, "plugins/pdf/SKILL.md"),
      alsoAt: [join(link, "SKILL.md")],
    };
    for (const _ of [1, 2]) {
      const request = wanted(join(machine.folder, "src/pdf"), { agents: ["cursor"] });
      await hub.apply(await hub.planInstall(request));
      await disable(machine, skill);
      expect(await readSwitchRecords(machine.home)).toHaveLength(1);
      if (_ === 1) await hub.remove({ names: ["pdf"], discardEdits: false, dryRun: false });
    }
    expect((await enable(machine, skill)).steps).toHaveLength(1);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });
});

describe("removing a skill that Skillet did not install", () => {
  test("moves it into the store, from where enable brings it back", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".claude/skills/pdf", ".gemini/skills/pdf");
    const { steps } = await change(machine, { action: "remove", skill });
    expect(steps.map(({ record }) => record.kind)).toEqual(["move", "move"]);
    expect(existsSync(skill.path)).toBe(false);
    expect(existsSync(join(machine.home, "disabled"))).toBe(false);
    await enable(machine);
    expect([existsSync(skill.path), existsSync(skill.alsoAt[0] ?? "")]).toEqual([true, true]);
  });
});

describe("removing a skill that was disabled", () => {
  test("takes its switches back, and moves it on from the store; enable brings it back to agents", async () => {
    const machine = hubSandbox();
    const skill = skillAt(machine, ".gemini/skills/pdf", ".cursor/skills/pdf");
    const [step] = (await disable(machine, skill)).steps.filter(({ record }) => record.kind === "move");
    if (step?.record.kind !== "move") throw new Error("it was not moved");
    const stored = { ...skill, alsoAt: [join(step.record.to, "SKILL.md")] };
    await change(machine, { action: "remove", skill: { ...stored, state: "disabled" } });
    expect(existsSync(join(machine.userHome, ".gemini/settings.json"))).toBe(false);
    expect([existsSync(skill.path), existsSync(step.record.to)]).toEqual([false, false]);
    await enable(machine);
    expect([existsSync(skill.path), existsSync(skill.alsoAt[0] ?? "")]).toEqual([true, true]);
    expect(await readSwitchRecords(machine.home)).toEqual([]);
  });
});

test("a record that cannot be read is an error that says where the skills are", async () => {
  const machine = hubSandbox();
  writeFileSync(join(machine.home, "disabled.json"), "{}");
  await expect(readSwitchRecords(machine.home)).rejects.toThrow("cannot be understood");
});
