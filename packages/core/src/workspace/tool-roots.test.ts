import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { type OpenSkillsOptions, openSkills } from "../open-skills.ts";
import { LocalSource } from "../source/local/local-source.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { trustFolder } from "../trust/trust-store.ts";
import type { SkillToVet } from "../vetting/skill-vetter.ts";
import type { Skills } from "./skills.ts";
import { projectSkills } from "./trusted-skills.ts";

function writeProject(): { project: string; open: (more?: OpenSkillsOptions) => Promise<Skills> } {
  const base = temporaryDirectory();
  const project = writeTree(join(base, "project"), {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".agents/skills/deploy/SKILL.md": `${skillText("deploy")}Run \${CLAUDE_SKILL_DIR}/go.sh in \${CLAUDE_PROJECT_DIR}.\n`,
    ".agents/skills/deploy/notes.md": "Notes.",
  });
  const open = (more: OpenSkillsOptions = {}): Promise<Skills> =>
    openSkills({
      workspace: project,
      userHome: join(base, "home"),
      environment: { PATH: "" },
      organisationDirectory: join(base, "organisation"),
      bundledDirectory: false,
      ...more,
    });
  return { project, open };
}

test("a model and the records see the skills of a trusted project where the agent's sandbox has them", async () => {
  const { project, open } = writeProject();
  const before = await open();
  const held = await projectSkills(before);
  await trustFolder({ home: before.home, projectRoot: project, skills: held, clock: Date.now });
  const skills = await open({ toolRoot: { ".": "/workspace/" } });
  const session = await skills.session({ records: "run" });
  expect(session.catalog().text).toContain("/workspace/.agents/skills/deploy/SKILL.md");
  const { text } = await session.activate("deploy");
  expect(text).toContain("Skill directory: /workspace/.agents/skills/deploy\n");
  expect(text).toContain("Run /workspace/.agents/skills/deploy/go.sh in /workspace.");
  expect(text).not.toContain(project);
  expect(await session.read("deploy", "notes.md")).toMatchObject({
    content: "Notes.",
    resourcePath: "/workspace/.agents/skills/deploy/notes.md",
  });
  expect(readFileSync(join(project, "run/journal.jsonl"), "utf8")).toContain(
    '"skillPath":"/workspace/.agents/skills/deploy/SKILL.md"',
  );
  const [skill] = skills.list();
  expect(skill?.hostDirectory).toBe(join(project, ".agents/skills/deploy"));
  expect(skills.find(join(project, ".agents/skills/deploy"))).toMatchObject({ kind: "found" });
});

test("the innermost of the given folders counts, and a folder outside all of them keeps its path", async () => {
  const { project, open } = writeProject();
  const outside = writeTree(join(project, "../elsewhere"), { "web/SKILL.md": skillText("web") });
  const skills = await open({
    roots: [".agents/skills", outside],
    toolRoot: { "..": "/", ".agents": "/agents", [outside]: "/" },
  });
  expect(skills.list().map(({ path }) => path)).toEqual(["/agents/skills/deploy/SKILL.md", "/web/SKILL.md"]);
  const kept = await open({ roots: [outside], toolRoot: { ".": "/workspace" } });
  expect(kept.list().map(({ path, hostDirectory }) => [path, hostDirectory])).toEqual([
    [join(outside, "web/SKILL.md"), undefined],
  ]);
});

test("a vetter is told where a skill lies, whatever its agent sees", async () => {
  const { project, open } = writeProject();
  const seen: SkillToVet[] = [];
  const skills = await open({
    roots: [".agents/skills"],
    toolRoot: { ".": "/workspace" },
    vetter: {
      ruleSet: "none",
      vet: async (judged) => {
        seen.push(...judged);
        return judged.map(() => ({ outcome: "allow", verdict: "safe", diagnostics: [] }));
      },
    },
  });
  await skills.session();
  expect(seen.map(({ path }) => path)).toEqual([join(project, ".agents/skills/deploy/SKILL.md")]);
});

test("a path that is not absolute is refused", async () => {
  const { open } = writeProject();
  await expect(open({ toolRoot: { ".": "workspace" } })).rejects.toMatchObject({ code: "call-invalid" });
});

test("a source of its own shows its skills elsewhere, and reads them where they lie", async () => {
  const { open } = writeProject();
  const folder = writeTree(temporaryDirectory(), { "web/SKILL.md": skillText("web") });
  const skills = await open({ roots: [], sources: [new LocalSource(folder, { toolRoot: "/skills" })] });
  expect(skills.list()[0]).toMatchObject({
    path: "/skills/web/SKILL.md",
    hostDirectory: join(folder, "web"),
  });
});
