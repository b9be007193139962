import { describe, expect, test } from "vitest";
import { importSkillsLock } from "./import-skills-lock.ts";

const OPTIONS = { file: "skills-lock.json", root: "/project", userHome: "/user" };
const HASH = "a".repeat(64);

describe("importSkillsLock", () => {
  test("takes over every kind of source of skills-lock.json version 1", () => {
    const skills = {
      web: {
        source: "vercel-labs/agent-skills",
        ref: "v1",
        sourceType: "github",
        skillPath: "skills/web/SKILL.md",
        computedHash: HASH,
      },
      root: { source: "o/r", sourceType: "github", skillPath: "SKILL.md", computedHash: HASH },
      lab: { source: "group/project", sourceType: "gitlab", skillPath: "x/SKILL.md", computedHash: HASH },
      any: { source: "https://git.example.com/o/r.git", sourceType: "git", computedHash: HASH },
      here: { source: "./mine", sourceType: "local", computedHash: HASH },
      site: { source: "docs.example.com", sourceType: "well-known", computedHash: HASH },
      pack: { source: "@scope/pack", sourceType: "node_modules", computedHash: HASH },
    };
    const { skills: found, diagnostics } = importSkillsLock(JSON.stringify({ version: 1, skills }), OPTIONS);
    expect(diagnostics).toEqual([]);
    expect(Object.fromEntries(found.map(({ name, source }) => [name, source]))).toEqual({
      any: { kind: "git", url: "https://git.example.com/o/r", pick: "any" },
      here: { kind: "local", path: "/project/mine", pick: "here" },
      lab: { kind: "git", url: "https://gitlab.com/group/project", folder: "x" },
      pack: { kind: "npm", name: "@scope/pack", pick: "pack" },
      root: { kind: "git", url: "https://github.com/o/r" },
      site: { kind: "well-known", base: "https://docs.example.com", pick: "site" },
      web: {
        kind: "git",
        url: "https://github.com/vercel-labs/agent-skills",
        ref: "v1",
        folder: "skills/web",
      },
    });
    expect(found.every(({ computedHash, pinned }) => computedHash === HASH && !pinned)).toBe(true);
  });

  test("takes over a global lock of version 3, and what gh pinned in it", () => {
    const entry = {
      source: "o/r",
      sourceType: "github",
      sourceUrl: "https://github.com/o/r.git",
      skillPath: "a/SKILL.md",
      skillFolderHash: "b".repeat(40),
      installedAt: "x",
      updatedAt: "x",
      pinnedRef: "v2.0.0",
    };
    const text = JSON.stringify({ version: 3, skills: { a: entry }, dismissed: {}, lastSelectedAgents: [] });
    expect(importSkillsLock(text, OPTIONS).skills).toEqual([
      {
        name: "a",
        source: { kind: "git", url: "https://github.com/o/r", ref: "v2.0.0", folder: "a" },
        pinned: true,
      },
    ]);
  });

  test.each([
    [
      "a ref that git would read as an option",
      { source: "o/r", sourceType: "github", ref: "--upload-pack=x" },
    ],
    ["a transport that runs commands", { source: "ext::sh -c x", sourceType: "git" }],
    ["a repository that leads out", { source: "../../x", sourceType: "github" }],
    ["a folder that leads out", { source: "o/r", sourceType: "github", skillPath: "../../x/SKILL.md" }],
    ["an unknown type", { source: "x", sourceType: "toString" }],
    ["no source", { sourceType: "github" }],
  ])("an entry with %s is left out and named, the others are not", (_, entry) => {
    const good = { source: "o/r", sourceType: "github" };
    const { skills, diagnostics } = importSkillsLock(
      JSON.stringify({ version: 1, skills: { bad: entry, good } }),
      OPTIONS,
    );
    expect(skills.map(({ name }) => name)).toEqual(["good"]);
    expect(diagnostics).toMatchObject([{ code: "skills-lock-entry-skipped", severity: "warning" }]);
    expect(diagnostics[0]?.message).toContain('"bad"');
  });

  test.each(["{", "[]", '{"version":2,"skills":{}}', '{"version":1}'])(
    "%s is no lock of that kind",
    (text) => {
      const { skills, diagnostics } = importSkillsLock(text, OPTIONS);
      expect([skills, diagnostics.map(({ code, severity }) => [code, severity])]).toEqual([
        [],
        [["skills-lock-invalid", "error"]],
      ]);
    },
  );
});
