import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { AGENTS, detectAgents, outsideFolders, targetsFor } from "./targets.ts";

const PLACES = { userHome: "/u", environment: {} };
const agent = (id: string) => {
  const found = AGENTS.find((one) => one.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};

describe("the table of agents", () => {
  test("has every id once, in byte order", () => {
    const ids = AGENTS.map(({ id }) => id);
    expect(ids).toHaveLength(79);
    expect([...new Set(ids)].sort()).toEqual(ids);
  });

  test.each<[string, string | undefined, string | undefined]>([
    ["amp", ".agents/skills", "/u/.config/agents/skills"],
    ["antigravity", ".agents/skills", "/u/.gemini/antigravity/skills"],
    ["astrbot", "data/skills", "/u/.astrbot/data/skills"],
    ["augment", ".augment/skills", "/u/.augment/skills"],
    ["autohand-code", ".autohand/skills", "/u/.autohand/skills"],
    ["claude-code", ".claude/skills", "/u/.claude/skills"],
    ["cline", ".agents/skills", "/u/.agents/skills"],
    ["codex", ".agents/skills", "/u/.agents/skills"],
    ["cortex", ".cortex/skills", "/u/.snowflake/cortex/skills"],
    ["crush", ".crush/skills", "/u/.config/crush/skills"],
    ["cursor", ".agents/skills", "/u/.cursor/skills"],
    ["deepagents", ".agents/skills", "/u/.deepagents/agent/skills"],
    ["droid", ".agents/skills", "/u/.factory/skills"],
    ["eve", "agent/skills", undefined],
    ["github-copilot", ".agents/skills", "/u/.copilot/skills"],
    ["hermes-agent", ".hermes/skills", "/u/.hermes/skills"],
    ["kimchi", ".kimchi/skills", "/u/.config/kimchi/harness/skills"],
    ["mistral-vibe", ".vibe/skills", "/u/.vibe/skills"],
    ["openclaw", "skills", "/u/.openclaw/skills"],
    ["opencode", ".agents/skills", "/u/.config/opencode/skills"],
    ["posit-assistant", ".posit/assistant/skills", "/u/.posit/assistant/skills"],
    ["promptscript", ".agents/skills", undefined],
    ["qoder-cn", ".qoder/skills", "/u/.qoder-cn/skills"],
    ["tabnine-cli", ".tabnine/agent/skills", "/u/.tabnine/agent/skills"],
    ["trae-cn", ".trae/skills", "/u/.trae-cn/skills"],
    ["windsurf", ".windsurf/skills", "/u/.codeium/windsurf/skills"],
  ])("%s reads %s and %s", (id, project, user) => {
    expect([agent(id).project, agent(id).user?.(PLACES)]).toEqual([project, user]);
  });

  test("variables move folders, unless they are empty or relative", () => {
    const at = (environment: Record<string, string>) =>
      agent("claude-code").user?.({ userHome: "/u", environment });
    expect(at({ CLAUDE_CONFIG_DIR: "/c" })).toBe("/c/skills");
    expect(at({ CLAUDE_CONFIG_DIR: "" })).toBe("/u/.claude/skills");
    expect(at({ CLAUDE_CONFIG_DIR: "c" })).toBe("/u/.claude/skills");
    expect(agent("goose").user?.({ userHome: "/u", environment: { XDG_CONFIG_HOME: "/x" } })).toBe(
      "/x/goose/skills",
    );
  });

  test("an agent that was renamed goes on with the folder that is there", () => {
    const userHome = temporaryDirectory();
    mkdirSync(join(userHome, ".moltbot"));
    expect(agent("openclaw").user?.({ userHome, environment: {} })).toBe(join(userHome, ".moltbot/skills"));
  });
});

test("agents are in use whose folders exist", () => {
  const userHome = temporaryDirectory();
  expect(detectAgents({ userHome, environment: { CODEX_HOME: join(userHome, "no") } })).toEqual([]);
  for (const path of [".claude", ".config/goose", ".cline", ".agents/skills", "my-codex"])
    mkdirSync(join(userHome, path), { recursive: true });
  const environment = { CODEX_HOME: join(userHome, "my-codex") };
  expect(detectAgents({ userHome, environment })).toEqual(["claude-code", "cline", "codex", "goose"]);
});

describe("where a skill goes", () => {
  const project = { kind: "project", root: "/p" } as const;
  const user = { kind: "user", home: "/h", pluginsDirectory: "/h/plugins" } as const;
  const targets = (more: Partial<Parameters<typeof targetsFor>[0]>) =>
    targetsFor({ ...PLACES, scope: project, name: "pdf", agents: [], how: "link", ...more });

  test("Skillet's own copy comes first, and each place once", () => {
    expect(targets({ agents: ["claude-code", "codex", "cursor", "claude-code"] })).toEqual([
      { path: ".agents/skills/pdf", how: "copy" },
      { path: ".claude/skills/pdf", how: "link", agent: "claude-code" },
    ]);
  });

  test("for a user paths in the home are relative and others absolute", () => {
    expect(targets({ scope: user, agents: ["claude-code"] })).toEqual([
      { path: "plugins/pdf", how: "copy" },
      { path: "/u/.claude/skills/pdf", how: "link", agent: "claude-code" },
    ]);
  });

  test("an agent that follows no links gets a copy", () => {
    expect(targets({ agents: ["eve"] })[1]).toEqual({ path: "agent/skills/pdf", how: "copy", agent: "eve" });
  });

  test("an unknown agent, or one without such a folder, is refused", () => {
    expect(() => targets({ agents: ["claude-cod"] })).toThrowError(/Did you mean claude-code/);
    expect(() => targets({ scope: user, agents: ["eve"] })).toThrowError(
      expect.objectContaining({ code: "agent-without-folder" }),
    );
  });

  test("a project's lock may place nothing outside the project", () => {
    expect(outsideFolders({ ...PLACES, scope: project })).toEqual([]);
    expect(outsideFolders({ ...PLACES, scope: user })).toContain("/u/.claude/skills");
  });
});
