import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { AGENTS, detectAgents } from "./agents.ts";

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
  ])("%s has %s and %s", (id, project, user) => {
    expect([agent(id).projectFolder, agent(id).userFolder?.(PLACES)]).toEqual([project, user]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["claude-code", ["/u/.claude/skills"], [".claude/skills"]],
    ["codex", ["/u/.agents/skills", "/u/.codex/skills"], [".agents/skills", ".codex/skills"]],
    ["gemini-cli", ["/u/.gemini/skills", "/u/.agents/skills"], [".agents/skills", ".gemini/skills"]],
    [
      "opencode",
      ["/u/.config/opencode/skills", "/u/.claude/skills", "/u/.agents/skills"],
      [".agents/skills", ".opencode/skills", ".claude/skills"],
    ],
    [
      "github-copilot",
      ["/u/.copilot/skills", "/u/.agents/skills", "/u/.claude/skills"],
      [".agents/skills", ".github/skills", ".claude/skills"],
    ],
    ["aider-desk", ["/u/.aider-desk/skills"], [".aider-desk/skills"]],
    ["eve", [], ["agent/skills"]],
  ])("%s reads %j and in a project %j", (id, user, project) => {
    expect([agent(id).userReads(PLACES), agent(id).projectReads]).toEqual([user, project]);
  });

  test("titles are as people write them", () => {
    expect(["claude-code", "gemini-cli", "github-copilot", "qwen-code"].map((id) => agent(id).title)).toEqual(
      ["Claude Code", "Gemini CLI", "GitHub Copilot", "Qwen Code"],
    );
  });

  test("variables move folders, unless they are empty or relative", () => {
    const at = (environment: Record<string, string>) =>
      agent("claude-code").userFolder?.({ userHome: "/u", environment });
    expect(at({ CLAUDE_CONFIG_DIR: "/c" })).toBe("/c/skills");
    expect(at({ CLAUDE_CONFIG_DIR: "" })).toBe("/u/.claude/skills");
    expect(at({ CLAUDE_CONFIG_DIR: "c" })).toBe("/u/.claude/skills");
    expect(agent("goose").userFolder?.({ userHome: "/u", environment: { XDG_CONFIG_HOME: "/x" } })).toBe(
      "/x/goose/skills",
    );
  });

  test("an agent that was renamed goes on with the folder that is there", () => {
    const userHome = temporaryDirectory();
    mkdirSync(join(userHome, ".moltbot"));
    expect(agent("openclaw").userFolder?.({ userHome, environment: {} })).toBe(
      join(userHome, ".moltbot/skills"),
    );
  });
});

test("agents are in use whose folders exist", () => {
  const userHome = temporaryDirectory();
  const found = (environment: Record<string, string>) =>
    detectAgents({ userHome, environment }).map(({ id }) => id);
  expect(found({ CODEX_HOME: join(userHome, "no") })).toEqual([]);
  for (const path of [".claude", ".config/goose", ".cline", ".agents/skills", "my-codex"])
    mkdirSync(join(userHome, path), { recursive: true });
  expect(found({ CODEX_HOME: join(userHome, "my-codex") })).toEqual([
    "claude-code",
    "cline",
    "codex",
    "goose",
  ]);
});
