import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { trustFolder } from "../trust/trust-store.ts";
import { projectSkills } from "./trusted-skills.ts";

let userHome: string;
let project: string;

beforeEach(() => {
  const base = temporaryDirectory();
  userHome = join(base, "home");
  project = join(base, "project");
  writeTree(userHome, { ".keep": "" });
  writeTree(project, { ".git/HEAD": "ref: refs/heads/main\n" });
});

const open = (environment: Record<string, string> = {}) =>
  openSkills({
    workspace: project,
    userHome,
    home: join(userHome, ".skillet"),
    organisationDirectory: false,
    bundledDirectory: false,
    cacheDirectory: false,
    environment,
  });
const found = async (environment?: Record<string, string>) =>
  (await open(environment)).snapshot.skills.map(({ qualifiedName, scope, state }) => [
    qualifiedName,
    scope,
    state,
  ]);

describe("the folders of agents", () => {
  test("of the user are searched where they exist", async () => {
    writeTree(userHome, {
      ".codex/skills/slack/SKILL.md": skillText("slack"),
      ".gemini/skills/kubernetes/SKILL.md": skillText("kubernetes"),
      ".config/opencode/skills/notes/SKILL.md": skillText("notes"),
      ".cursor/skills/review/SKILL.md": skillText("review"),
    });
    expect(await found()).toEqual([
      ["kubernetes", "user", "enabled"],
      ["notes", "user", "enabled"],
      ["review", "user", "enabled"],
      ["slack", "user", "enabled"],
    ]);
  });

  test("are searched where variables have moved them to", async () => {
    const elsewhere = temporaryDirectory();
    writeTree(elsewhere, {
      "codex/skills/slack/SKILL.md": skillText("slack"),
      "claude/skills/pdf/SKILL.md": skillText("pdf"),
      "claude/commands/ship.md": "Ship it.\n",
    });
    const environment = {
      CODEX_HOME: join(elsewhere, "codex"),
      CLAUDE_CONFIG_DIR: join(elsewhere, "claude"),
    };
    expect((await found(environment)).map(([name]) => name)).toEqual(["pdf", "ship", "slack"]);
  });

  test("that are not there are no roots", async () => {
    const { snapshot } = await open();
    expect(snapshot.roots.filter(({ path }) => /codex|gemini|cursor|github/.test(path))).toEqual([]);
  });

  test("of a project wait for trust", async () => {
    const folders = [".codex", ".gemini", ".cursor", ".github"];
    writeTree(
      project,
      Object.fromEntries(folders.map((name) => [`${name}/skills/s${name}/SKILL.md`, skillText(`s${name}`)])),
    );
    expect((await found()).map(([name, scope, state]) => [name, scope, state])).toEqual(
      [".codex", ".cursor", ".gemini", ".github"].map((name) => [`s${name}`, "project", "untrusted"]),
    );
    const home = join(userHome, ".skillet");
    const skills = await projectSkills(await open());
    await trustFolder({ home, projectRoot: project, skills, clock: () => 0 });
    expect((await found()).every(([, , state]) => state === "enabled")).toBe(true);
  });

  test("of a project wait for trust where a variable names them as the user's own", async () => {
    writeTree(project, { "conf/skills/pdf/SKILL.md": skillText("pdf"), "conf/commands/ship.md": "Ship.\n" });
    expect(await found({ CLAUDE_CONFIG_DIR: join(project, "conf") })).toEqual([
      ["pdf", "project", "untrusted"],
      ["ship", "project", "untrusted"],
    ]);
  });

  test.each([
    ["XDG_CONFIG_HOME", "opencode/skills"],
    ["CODEX_HOME", "skills"],
    ["AUTOHAND_HOME", "skills"],
    ["HERMES_HOME", "skills"],
    ["VIBE_HOME", "skills"],
    ["GROK_HOME", "skills"],
  ])(
    "of a project wait for trust also where %s names them, through a link, too",
    async (variable, folder) => {
      writeTree(project, { [`conf/${folder}/pdf/SKILL.md`]: skillText("pdf") });
      expect(await found({ [variable]: join(project, "conf") })).toEqual([["pdf", "project", "untrusted"]]);
      writeTree(userHome, { conf: { link: join(project, "conf") } });
      expect((await found({ [variable]: join(userHome, "conf") })).map(([, , state]) => state)).not.toContain(
        "enabled",
      );
    },
  );

  test("of a project that lead out of it are refused", async () => {
    writeTree(userHome, { "private/key/SKILL.md": skillText("key") });
    writeTree(project, {
      ".codex/skills": { link: join(userHome, "private") },
      ".gemini/skills/a": { link: join(userHome, "private/key") },
    });
    const { snapshot } = await open();
    expect(snapshot.skills).toEqual([]);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["link-outside-root", "link-outside-root"]);
  });

  test("under two names are searched once", async () => {
    writeTree(userHome, {
      ".agents/skills/pdf/SKILL.md": skillText("pdf"),
      ".gemini/skills": { link: "../.agents/skills" },
    });
    const { snapshot } = await open();
    expect(snapshot.skills.map(({ path, alsoAt }) => [path, alsoAt])).toEqual([
      [join(userHome, ".agents/skills/pdf/SKILL.md"), []],
    ]);
  });

  test("with the same skill show it once; another skill of its name is a conflict", async () => {
    writeTree(userHome, {
      ".claude/skills/pdf/SKILL.md": skillText("pdf"),
      ".codex/skills/pdf/SKILL.md": skillText("pdf"),
      ".gemini/skills/pdf/SKILL.md": skillText("pdf", "Another."),
    });
    const { snapshot } = await open();
    expect(snapshot.skills.map(({ qualifiedName, state, alsoAt }) => [qualifiedName, state, alsoAt])).toEqual(
      [
        ["pdf", "enabled", [join(userHome, ".codex/skills/pdf/SKILL.md")]],
        ["user:pdf", "shadowed", []],
      ],
    );
  });

  test.each([
    ["that exist, by events", ".codex/skills/mail/SKILL.md", 600_000],
    ["that come later, by looking again", ".gemini/skills/mail/SKILL.md", 1],
  ])("are watched: those %s", async (_, file, pollMs) => {
    writeTree(userHome, { ".codex/skills/slack/SKILL.md": skillText("slack") });
    const skills = await open();
    const names = await new Promise<readonly string[]>((resolve) => {
      skills.watch(({ snapshot }) => resolve(snapshot.skills.map(({ name }) => name)), {
        settleMs: 1,
        pollMs,
      });
      writeTree(userHome, { [file]: skillText("mail") });
    });
    expect(names).toEqual(["mail", "slack"]);
    await skills.close();
  });
});

describe("the plugins of Claude Code", () => {
  const install = (plugins: Record<string, string>) =>
    writeTree(join(userHome, ".claude/plugins"), {
      "installed_plugins.json": JSON.stringify({
        version: 2,
        plugins: Object.fromEntries(
          Object.entries(plugins).map(([id, path]) => [id, [{ scope: "user", installPath: path }]]),
        ),
      }),
    });

  test("bring skills and commands under the plugin's name, of what they declare alone", async () => {
    const cache = join(userHome, ".claude/plugins/cache/market");
    install({ "kit@market": join(cache, "kit/1"), "docs@market": join(cache, "docs/1") });
    writeTree(cache, {
      "kit/1/skills/pdf/SKILL.md": skillText("pdf"),
      "kit/1/commands/ship.md": "Ship it.\n",
      "kit/1/examples/no/SKILL.md": skillText("no"),
      "docs/1/.claude-plugin/plugin.json": JSON.stringify({
        name: "docs",
        skills: ["./more", "../kit/1/skills"],
      }),
      "docs/1/more/word/SKILL.md": skillText("word"),
    });
    writeTree(userHome, { ".claude/skills/pdf/SKILL.md": skillText("pdf", "Mine.") });
    expect(await found()).toEqual([
      ["docs:word", "plugin", "enabled"],
      ["kit:pdf", "plugin", "enabled"],
      ["kit:ship", "plugin", "enabled"],
      ["pdf", "user", "enabled"],
    ]);
  });

  test("that share a repository have the skills that their marketplace lists for each", async () => {
    const path = join(userHome, ".claude/plugins/cache/market/one/1");
    install({ "one@market": path });
    writeTree(path, {
      "skills/pdf/SKILL.md": skillText("pdf"),
      "skills/art/SKILL.md": skillText("art"),
    });
    writeTree(join(userHome, ".claude/plugins/marketplaces/market/.claude-plugin"), {
      "marketplace.json": JSON.stringify({
        plugins: [{ name: "one", strict: false, skills: ["./skills/pdf"] }],
      }),
    });
    expect(await found()).toEqual([["one:pdf", "plugin", "enabled"]]);
  });

  test("reach nothing outside themselves by links", async () => {
    const path = join(userHome, ".claude/plugins/cache/market/kit/1");
    install({ "kit@market": path });
    writeTree(userHome, { ".claude/skills/mine/SKILL.md": skillText("mine") });
    writeTree(path, { "skills/mine": { link: join(userHome, ".claude/skills/mine") } });
    const { snapshot } = await open();
    expect(snapshot.skills.map(({ qualifiedName }) => qualifiedName)).toEqual(["mine"]);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["link-outside-root"]);
  });

  test("whose folders are links out of them are refused, also into the project", async () => {
    const path = join(userHome, ".claude/plugins/cache/market/kit/1");
    install({ "kit@market": path });
    writeTree(project, { "theirs/pdf/SKILL.md": skillText("pdf"), "commands/ship.md": "Ship it.\n" });
    writeTree(path, {
      skills: { link: join(project, "theirs") },
      commands: { link: join(project, "commands") },
    });
    const { snapshot } = await open();
    expect(snapshot.skills).toEqual([]);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["link-outside-root", "link-outside-root"]);
  });

  test("that lie in the project wait for its trust", async () => {
    install({ "kit@market": join(project, "kit") });
    writeTree(project, { "kit/skills/pdf/SKILL.md": skillText("pdf") });
    expect(await found()).toEqual([["kit:pdf", "project", "untrusted"]]);
  });

  test("that only a project's settings enable are not brought in before the project is trusted", async () => {
    const path = join(userHome, ".claude/plugins/cache/market/kit/1");
    install({ "kit@market": path });
    writeTree(path, { "skills/pdf/SKILL.md": skillText("pdf") });
    writeTree(userHome, { ".claude/settings.json": '{"enabledPlugins":{"kit@market":false}}' });
    for (const name of ["settings.json", "settings.local.json"]) {
      writeTree(project, { [`.claude/${name}`]: '{"enabledPlugins":{"kit@market":true}}' });
      expect(await found()).toEqual([]);
    }
    const home = join(userHome, ".skillet");
    await trustFolder({ home, projectRoot: project, skills: [], clock: () => 0 });
    expect(await found()).toEqual([["kit:pdf", "plugin", "enabled"]]);
  });

  test("are not shown where their list cannot be read, and it is said", async () => {
    writeTree(userHome, { ".claude/plugins/installed_plugins.json": "{" });
    const { snapshot } = await open();
    expect(snapshot.diagnostics).toEqual([
      expect.objectContaining({ code: "agent-plugins-unread", severity: "warning" }),
    ]);
  });
});
