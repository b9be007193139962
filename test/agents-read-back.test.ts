import { join } from "node:path";
import { openSkills } from "@skillet/core";
import { AGENTS, createAgentsLoading, detectAgents } from "@skillet/core/internal";
import { expect, test } from "vitest";
import { skillText, writeTree } from "../packages/core/src/testing/write-tree.ts";
import { temporaryDirectory } from "../packages/kit/src/testing/temporary-directory.ts";

// As each agent documents its folders, written out here apart from the table: `~` is the home, the rest a project.
const DOCUMENTED: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["~/.claude/skills", ".claude/skills"],
  codex: ["~/.agents/skills", "~/.codex/skills", ".agents/skills", ".codex/skills"],
  "gemini-cli": ["~/.gemini/skills", "~/.agents/skills", ".gemini/skills", ".agents/skills"],
  cursor: [
    ...["~/.cursor/skills", "~/.agents/skills", "~/.claude/skills", "~/.codex/skills"],
    ...[".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills"],
  ],
  "github-copilot": [
    ...["~/.copilot/skills", "~/.agents/skills", ".github/skills", ".claude/skills", ".agents/skills"],
  ],
  opencode: [
    ...["~/.config/opencode/skills", "~/.claude/skills", "~/.agents/skills"],
    ...[".opencode/skills", ".claude/skills", ".agents/skills"],
  ],
  goose: [
    ...["~/.config/goose/skills", "~/.agents/skills", "~/.claude/skills", "~/.config/agents/skills"],
    ...[".goose/skills", ".claude/skills", ".agents/skills"],
  ],
  amp: [
    ...["~/.config/agents/skills", "~/.config/amp/skills", "~/.claude/skills"],
    ...[".agents/skills", ".claude/skills"],
  ],
  pi: ["~/.pi/agent/skills", "~/.agents/skills", ".pi/skills", ".agents/skills"],
  "hermes-agent": ["~/.hermes/skills", ".hermes/skills", ".agents/skills"],
  openclaw: ["~/.openclaw/skills", "~/.agents/skills", ".agents/skills"],
  deepagents: ["~/.deepagents/agent/skills", "~/.agents/skills", ".deepagents/skills", ".agents/skills"],
  windsurf: ["~/.codeium/windsurf/skills", "~/.agents/skills", ".windsurf/skills", ".agents/skills"],
  cline: ["~/.cline/skills", ".cline/skills"],
  roo: ["~/.roo/skills", "~/.agents/skills", ".roo/skills", ".agents/skills"],
};

test.each(Object.entries(DOCUMENTED))(
  "skills where %s documents them are found, and said to be read by it",
  async (id, folders) => {
    const base = temporaryDirectory();
    const [userHome, workspace] = [join(base, "home"), join(base, "project")];
    writeTree(workspace, { ".git/HEAD": "ref: refs/heads/main\n" });
    const names = folders.map((folder, index) => {
      const path = folder.startsWith("~/") ? join(userHome, folder.slice(2)) : join(workspace, folder);
      writeTree(path, { [`skill-${index}/SKILL.md`]: skillText(`skill-${index}`) });
      return `skill-${index}`;
    });
    const skills = await openSkills({
      workspace,
      userHome,
      home: join(userHome, ".skillet"),
      environment: {},
      cacheDirectory: false,
      organisationDirectory: false,
      bundledDirectory: false,
    });
    const found = skills.snapshot.skills.filter((skill) => {
      const options = {
        agents: AGENTS,
        places: { userHome, environment: {} },
        projectRoot: skills.project?.root,
      };
      return createAgentsLoading(options)(skill).loading.some((agent) => agent.id === id);
    });
    expect(found.map(({ name }) => name).sort()).toEqual(names.sort());
    expect(
      detectAgents({ userHome, environment: { CODEX_HOME: join(userHome, ".codex") } }).map((one) => one.id),
    ).toContain(id);
  },
);
