import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import type { SkillToVet } from "../vetting/skill-vetter.ts";

test("what lies in a folder that the host calls the agent's is agent-created, for rules and for the vetter", async () => {
  const base = temporaryDirectory();
  const claims = "---\nname: other\ndescription: O.\norigin: builtin\n---\nX\n";
  writeTree(join(base, "skills"), {
    "mine/SKILL.md": skillText("mine"),
    "drafts/made/SKILL.md": skillText("made"),
    "drafts/other/SKILL.md": claims,
    linked: { link: "drafts/made" },
  });
  writeTree(join(base, "home"), {
    "config.yaml": "policy:\n  rules:\n    - { origin: agent-created, source: model, action: deny }\n",
  });
  const seen: SkillToVet[] = [];
  const skills = await openSkills({
    workspace: base,
    home: join(base, "home"),
    userHome: base,
    roots: ["skills"],
    agentFolders: ["skills/drafts"],
    organisationDirectory: join(base, "organisation"),
    cacheDirectory: false,
    vetter: {
      ruleSet: "none",
      vet: async (judged) => {
        seen.push(...judged);
        return judged.map(() => ({ outcome: "allow", verdict: "safe", diagnostics: [] }));
      },
    },
  });
  const session = await skills.session();
  expect(skills.list().map(({ name, origin }) => [name, origin])).toEqual([
    ["made", "agent-created"],
    ["mine", "local"],
    ["other", "agent-created"],
  ]);
  expect(seen.map(({ name, origin }) => [name, origin])).toEqual([
    ["made", "agent-created"],
    ["mine", "local"],
    ["other", "agent-created"],
  ]);
  expect(session.catalog().text.match(/(?<=<name>\n).*/g)).toEqual(["mine"]);
  const { text } = await session.activate("made", { source: "user" });
  expect(text).toContain('origin="agent-created"');
});
