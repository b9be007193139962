import { describe, expect, test } from "vitest";
import { outsideFolders, targetsFor } from "./targets.ts";

const PLACES = { userHome: "/u", environment: {} };
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

  test("an agent is known by a part of its id that no other has", () => {
    const found = targets({ agents: ["claude", "gemini"], scope: user }).map(({ agent }) => agent);
    expect(found).toEqual([undefined, "claude-code", "gemini-cli"]);
    expect(() => targets({ agents: ["code"] })).toThrow("There is no agent called code.");
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
    for (const slip of ["claude-cod", "cluade"])
      expect(() => targets({ agents: [slip] })).toThrowError(/Did you mean claude-code/);
    expect(() => targets({ scope: user, agents: ["eve"] })).toThrowError(
      expect.objectContaining({ code: "agent-without-folder" }),
    );
  });

  test("a project's lock may place nothing outside the project", () => {
    expect(outsideFolders({ ...PLACES, scope: project })).toEqual([]);
    expect(outsideFolders({ ...PLACES, scope: user })).toContain("/u/.claude/skills");
  });
});
