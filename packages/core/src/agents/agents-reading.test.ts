import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../testing/write-tree.ts";
import { readAgentPlugins } from "./agent-plugins.ts";
import { AGENTS } from "./agents.ts";
import { createAgentsLoading } from "./agents-reading.ts";

let userHome: string;
beforeEach(() => {
  userHome = temporaryDirectory();
});

function readers(path: string, more: { alsoAt?: string[]; kind?: "command"; projectRoot?: string } = {}) {
  const skill = {
    name: "k",
    directoryName: "k",
    kind: more.kind ?? ("skill" as const),
    path,
    source: { id: "x", folder: "x", file: "SKILL.md" },
    alsoAt: more.alsoAt ?? [],
  };
  const known = ["claude-code", "codex", "cursor", "gemini-cli", "goose", "openclaw", "opencode"];
  const read = createAgentsLoading({
    agents: AGENTS.filter(({ id }) => known.includes(id)),
    places: { userHome, environment: {} },
    ...(more.projectRoot !== undefined && { projectRoot: more.projectRoot }),
  });
  return read(skill).loading.map(({ id }) => id);
}

describe("the agents that read a skill", () => {
  test("are those of the folder it lies in", () => {
    expect(readers(join(userHome, ".gemini/skills/k/SKILL.md"))).toEqual(["gemini-cli"]);
    expect(readers(join(userHome, ".codex/skills/k/SKILL.md"))).toEqual(["codex", "cursor"]);
    expect(readers(join(userHome, ".skillet/plugins/k/SKILL.md"))).toEqual([]);
    expect(readers(join(userHome, ".gemini/skills-old/k/SKILL.md"))).toEqual([]);
  });

  test("are also those of its copies and links", () => {
    const alsoAt = [join(userHome, ".gemini/skills/k/SKILL.md")];
    expect(readers(join(userHome, ".config/opencode/skills/k/SKILL.md"), { alsoAt })).toEqual([
      "gemini-cli",
      "opencode",
    ]);
  });

  test("are also those whose whole folder is a link to it", () => {
    writeTree(userHome, { "shared/k/SKILL.md": "x", ".gemini/skills": { link: "../shared" } });
    expect(readers(join(userHome, "shared/k/SKILL.md"))).toEqual(["gemini-cli"]);
  });

  test("read a project's folders at its root and in the folders below it", () => {
    const projectRoot = "/p";
    expect(readers("/p/.codex/skills/k/SKILL.md", { projectRoot })).toEqual(["codex", "cursor"]);
    expect(readers("/p/web/.gemini/skills/k/SKILL.md", { projectRoot })).toEqual(["gemini-cli"]);
    expect(readers("/p/skills/k/SKILL.md", { projectRoot })).toEqual(["openclaw"]);
    expect(readers("/p/web/skills/k/SKILL.md", { projectRoot })).toEqual([]);
    expect(readers("/q/.gemini/skills/k/SKILL.md", { projectRoot })).toEqual([]);
  });

  test("of a command is Claude Code alone, and only where it looks for commands", () => {
    const kind = "command";
    const projectRoot = "/p";
    writeTree(userHome, {
      ".claude/plugins/installed_plugins.json": '{"plugins":{"kit@m":{"installPath":"/c/kit"}}}',
    });
    for (const file of [".claude/commands/git/k.md", ".claude/skills/kit/commands/k.md"])
      expect(readers(join(userHome, file), { kind })).toEqual(["claude-code"]);
    expect(readers("/c/kit/commands/k.md", { kind })).toEqual(["claude-code"]);
    expect(readers("/p/web/.claude/commands/k.md", { kind, projectRoot })).toEqual(["claude-code"]);
    expect(readers(join(userHome, ".skillet/plugins/kit/commands/k.md"), { kind })).toEqual([]);
  });
});

describe("an agent's own loader", () => {
  const tell = (path: string, ...codes: readonly string[]) => {
    const file = join(userHome, path, "SKILL.md");
    const diagnostics = codes.map((code) => ({ code, severity: "warning", message: "x", file }) as const);
    const agents = AGENTS.filter(({ id }) => ["claude-code", "codex", "gemini-cli", "opencode"].includes(id));
    const { loading, refusedBy } = createAgentsLoading({ agents, places: { userHome, environment: {} } })({
      name: "k",
      directoryName: "k",
      kind: "skill",
      path: file,
      alsoAt: [],
      diagnostics,
      source: { id: "x", folder: "x", file: "SKILL.md" },
    });
    return [loading.map(({ id }) => id), refusedBy.map(({ agent, why }) => `${agent.id}: ${why}`)];
  };

  test("does not look deeper than it says", () => {
    expect(tell(".claude/skills/group/k")).toEqual([["opencode"], ["claude-code: it is nested too deep"]]);
    expect(tell(".agents/skills/kit/skills/k")).toEqual([
      ["codex", "opencode"],
      ["gemini-cli: it is nested too deep"],
    ]);
  });

  test("leaves a skill out whose header lacks what it needs", () => {
    expect(tell(".agents/skills/k", "missing-frontmatter")[0]).toEqual([]);
    expect(tell(".agents/skills/k", "missing-name")).toEqual([
      ["codex"],
      ["gemini-cli: its header has no name", "opencode: its header has no name"],
    ]);
    expect(tell(".claude/skills/k", "missing-description")[0]).toEqual(["claude-code"]);
  });
});

describe("Claude Code's plugins", () => {
  const list = (installed: unknown, settings?: unknown) => {
    writeTree(join(userHome, ".claude"), {
      "plugins/installed_plugins.json": typeof installed === "string" ? installed : JSON.stringify(installed),
      ...(settings !== undefined && { "settings.json": JSON.stringify(settings) }),
    });
    return readAgentPlugins({ userHome, environment: {} }, "/p")
      .folders.filter(({ off }) => !off)
      .map(({ plugin, path }) => [plugin, path]);
  };

  test("are those of its list that are not disabled, each where it is installed", () => {
    const plugins = {
      "kit@market": [{ scope: "user", installPath: "/c/kit/1.0.0", version: "1.0.0" }],
      "off@market": [{ scope: "user", installPath: "/c/off/1.0.0" }],
      "here@market": [{ scope: "project", projectPath: "/p", installPath: "/c/here/1" }],
      "there@market": [{ scope: "project", projectPath: "/q", installPath: "/c/there/1" }],
      "both@market": [
        { scope: "local", projectPath: "/q", installPath: "/c/both/1" },
        { scope: "user", installPath: "/c/both/2" },
      ],
    };
    expect(list({ version: 2, plugins }, { enabledPlugins: { "off@market": false } })).toEqual([
      ["kit", "/c/kit/1.0.0"],
      ["here", "/c/here/1"],
      ["both", "/c/both/2"],
    ]);
  });

  test("are enabled and disabled by a project's settings there, of which its personal ones decide", () => {
    const projectRoot = join(userHome, "work");
    const record = (name: string) => [{ scope: "user", installPath: `/c/${name}` }];
    writeTree(userHome, {
      ".claude/plugins/installed_plugins.json": JSON.stringify({
        plugins: {
          "on@m": record("on"),
          "off@m": record("off"),
          "here@m": record("here"),
          "theirs@m": [{ scope: "project", projectPath: "/elsewhere", installPath: "/c/theirs" }],
        },
      }),
      ".claude/settings.json": '{"enabledPlugins":{"here@m":false}}',
      "work/.claude/settings.json": '{"enabledPlugins":{"here@m":false,"off@m":true,"theirs@m":true}}',
      "work/.claude/settings.local.json": '{"enabledPlugins":{"here@m":true,"off@m":false}}',
    });
    const found = (root?: string) =>
      readAgentPlugins({ userHome, environment: {} }, root)
        .folders.filter(({ off }) => !off)
        .map(({ plugin, byProject }) => [plugin, byProject]);
    expect(found(projectRoot)).toEqual([
      ["on", undefined],
      ["here", true],
      ["theirs", true],
    ]);
    expect(found()).toEqual([
      ["on", undefined],
      ["off", undefined],
    ]);
  });

  test("are read from the older form of the list, and from where CLAUDE_CONFIG_DIR says", () => {
    expect(list({ version: 1, plugins: { "kit@m": { installPath: "/c/kit" } } })).toEqual([
      ["kit", "/c/kit"],
    ]);
    const environment = { CLAUDE_CONFIG_DIR: join(userHome, ".claude") };
    expect(readAgentPlugins({ userHome: "/nowhere", environment }).folders).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["plugins of another kind", { plugins: "x" }],
    ["records of another kind", { plugins: { "a@m": 1, "b@m": [null], "c@m": [{ installPath: 3 }] } }],
    ["a relative path", { plugins: { "a@m": [{ installPath: "../a" }] } }],
    ["a marketplace that is a path", { plugins: { "a@../m": [{ installPath: "/a" }] } }],
    ["a plugin that is called as a scope", { plugins: { "user@m": [{ installPath: "/a" }] } }],
    ["text", "{"],
  ])("are none where the list holds %s", (_, installed) => {
    expect(list(installed)).toEqual([]);
  });

  test("say why there are none where the list cannot be understood", () => {
    list("{");
    expect(readAgentPlugins({ userHome, environment: {} })).toMatchObject({ fault: "is not a JSON object" });
    list("x".repeat(5 * 1024 * 1024));
    expect(readAgentPlugins({ userHome, environment: {} }).fault).toContain("larger than");
  });

  test("are no more than five hundred, and it is said when there are more", () => {
    const plugins = Object.fromEntries(
      Array.from({ length: 501 }, (_, index) => [`p${index}@m`, [{ installPath: `/c/${index}` }]]),
    );
    expect(list({ plugins })).toHaveLength(500);
    expect(readAgentPlugins({ userHome, environment: {} }).fault).toBe("lists more than 500 plugins");
  });
});

test("a skill that is only linked is not known to be read by an agent that may not follow links", () => {
  writeTree(userHome, {
    "store/k/SKILL.md": "x",
    ".cursor/skills/k": { link: "../../store/k" },
    ".claude/skills/k": { link: "../../store/k" },
  });
  const agents = AGENTS.filter(({ id }) => ["claude-code", "cursor", "roo"].includes(id));
  const tell = createAgentsLoading({ agents, places: { userHome, environment: {} } });
  const at = (...folders: readonly string[]) => {
    const [path = "", ...alsoAt] = folders.map((folder) => join(userHome, folder, "k/SKILL.md"));
    const skill = { name: "k", directoryName: "k", kind: "skill", path, alsoAt } as const;
    const { loading, unsure } = tell({ ...skill, source: { id: "x", folder: "x", file: "SKILL.md" } });
    return [loading, unsure].map((some) => some.map(({ id }) => id));
  };
  const linked = at("store", ".cursor/skills", ".claude/skills");
  expect(linked).toEqual([["claude-code", "cursor"], ["cursor"]]);
  writeTree(userHome, { ".agents/skills/k/SKILL.md": "x" });
  expect(at(".agents/skills", ".cursor/skills", ".claude/skills")[1]).toEqual([]);
});

describe("an agent whose own settings turn a skill off", () => {
  const codex = (file: string, more: string) =>
    `model = "o"\n\n[[skills.config]]\n${more}\npath = '${file}' # mine\n[tui]\nenabled = true\n`;

  test.each([
    ["claude-code", ".claude", "settings.json", () => '{"skillOverrides":{"pdf":"off"}}', true],
    ["claude-code", ".claude", "settings.json", () => '{"skillOverrides":{"pdf":"name-only"}}', false],
    ["codex", ".codex", "config.toml", (file: string) => codex(file, "enabled = false"), true],
    ["codex", ".codex", "config.toml", (file: string) => codex(file, "enabled = true"), false],
    ["codex", ".codex", "config.toml", () => '[[skills.config]]\nname = "pdf"\nenabled = false', true],
    ["gemini-cli", ".gemini", "settings.json", () => '{"skills":{"disabled":["PDF",], /* mine */}}', true],
    ["opencode", ".config/opencode", "opencode.jsonc", () => '{"permission":{"skill":{"p*":"deny"}}}', true],
    [
      "opencode",
      ".config/opencode",
      "opencode.json",
      () => '{"permission":{"skill":{"*":"deny","pdf":"allow"}}}',
      false,
    ],
    ["opencode", ".config/opencode", "opencode.json", () => '{"permission":{"skill":"deny"}}', true],
    ["gemini-cli", ".gemini", "settings.json", () => "not JSON", false],
  ])("%s is told apart from those that load it, by %s/%s", (id, folder, settings, text, isOff) => {
    const file = join(userHome, folder, "skills/pdf/SKILL.md");
    writeTree(userHome, { [`${folder}/skills/pdf/SKILL.md`]: "x", [`${folder}/${settings}`]: text(file) });
    const skill = { name: "pdf", directoryName: "pdf", kind: "skill", path: file, alsoAt: [] } as const;
    const agents = AGENTS.filter((agent) => agent.id === id);
    const tell = createAgentsLoading({ agents, places: { userHome, environment: {} } });
    expect(tell({ ...skill, source: { id: "x", folder: "x", file: "SKILL.md" } })).toEqual({
      loading: isOff ? [] : agents,
      unsure: [],
      switchedOff: isOff ? agents : [],
      refusedBy: [],
    });
  });

  const CLAUDE = ".claude/settings.json";
  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ["claude-code", { [`work/${CLAUDE}`]: '{"skillOverrides":{"pdf":"off"}}' }, true],
    ["claude-code", { "work/.claude/settings.local.json": '{"skillOverrides":{"pdf":"off"}}' }, true],
    [
      "claude-code",
      {
        [CLAUDE]: '{"skillOverrides":{"pdf":"off"}}',
        "work/.claude/settings.local.json": '{"skillOverrides":{"pdf":"on"}}',
      },
      false,
    ],
    ["codex", { "work/.codex/config.toml": '[[skills.config]]\nname = "pdf"\nenabled = false' }, false],
    ["gemini-cli", { "work/.gemini/settings.json": '{"skills":{"disabled":["pdf"]}}' }, true],
    ["opencode", { "work/opencode.json": '{"permission":{"skill":{"pdf":"deny"}}}' }, true],
    [
      "opencode",
      {
        ".config/opencode/opencode.json": '{"permission":{"skill":"deny"}}',
        "work/.opencode/opencode.jsonc": '{"permission":{"skill":{"pdf":"allow"}}}',
      },
      false,
    ],
  ])("%s is told apart in a project as its settings there say: %j", (id, files, isOff) => {
    writeTree(userHome, files);
    const agents = AGENTS.filter((agent) => agent.id === id);
    const projectRoot = join(userHome, "work");
    const path = join(projectRoot, agents[0]?.projectReads[0] ?? "", "pdf/SKILL.md");
    const tell = createAgentsLoading({ agents, places: { userHome, environment: {} }, projectRoot });
    const skill = { name: "pdf", directoryName: "pdf", kind: "skill", path, alsoAt: [] } as const;
    const { switchedOff } = tell({ ...skill, source: { id: "x", folder: "x", file: "SKILL.md" } });
    expect(switchedOff).toEqual(isOff ? agents : []);
  });
});
