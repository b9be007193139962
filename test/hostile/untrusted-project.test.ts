import { join } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { createPlace, type Place, standing } from "./place.ts";

/** What the user has, as far as a project could touch it. */
function own({ snapshot }: Skills): Skill[] {
  return snapshot.skills
    .filter(({ scope }) => scope === "user")
    .map((skill) => JSON.parse(JSON.stringify(skill)) as Skill);
}

describe("a project that nobody has trusted changes nothing about the user's skills", () => {
  test.each<readonly [string, (place: Place) => void]>([
    [
      "by a skill of the same name",
      (place) => place.write("project/.skillet/skills/mine/SKILL.md", skillText("mine", "Better.")),
    ],
    [
      "by an identical copy",
      (place) => place.write("project/.claude/skills/mine/SKILL.md", skillText("mine")),
    ],
    [
      "by its config",
      (place) =>
        place.write(
          "project/.skillet/config.yaml",
          "skills: {overrides: {mine: {enabled: false}}, limits: {depth: 0}, userDir: /nowhere}\n",
        ),
    ],
    [
      "by its config in a form that cannot be read",
      (place) => place.write("project/.skillet/config.yaml", "\0: ["),
    ],
    ["by ignore files above the roots", (place) => place.write("project/.gitignore", "*\n")],
    [
      "by a link to the user's own folder",
      (place) => place.link("project/.claude/skills", join(place.home, ".claude/skills")),
    ],
    ["by a link to the home folder", (place) => place.link("project/.agents", place.home)],
    ["by a link to the whole disk", (place) => place.link("project/.agents/skills", "/")],
    [
      "by meeting a need of theirs",
      (place) => {
        place.write(
          "home/.claude/skills/needy/SKILL.md",
          "---\nname: needy\ndescription: Needs.\nrequires-skills: [helper]\n---\n",
        );
        place.write("project/.agents/skills/helper/SKILL.md", skillText("helper"));
      },
    ],
    [
      "by an environment variable or a file that every object or folder has",
      (place) =>
        place.write(
          "project/.agents/skills/odd/SKILL.md",
          "---\nname: odd\ndescription: Odd.\nrequired-environment-variables: [constructor, __proto__]\n" +
            `required-credential-files: ["a\\0b", ${"a".repeat(300)}, /etc/passwd, ../x]\n---\n`,
        ),
    ],
  ])("%s", async (_, attack) => {
    const place = createPlace();
    attack(place);
    const elsewhere = await place.open({ workspace: place.root });
    const here = await place.open();
    expect(own(here)).toEqual(own(elsewhere));
    expect(own(here).find(({ name }) => name === "mine")?.state).toBe("enabled");
    const foreign = here.list().filter(({ scope }) => scope !== "user");
    expect(foreign).toEqual([]);
  });
});

test("trust is not lent to a copy, a parent, a folder inside with a .git of its own, or by a forged .git", async () => {
  const place = createPlace();
  for (const folder of ["project", "project/inner", "copy", "forged"])
    place.write(`${folder}/.claude/skills/deploy/SKILL.md`, skillText("deploy"));
  place.write("project/inner/.git/HEAD", "ref: refs/heads/main\n");
  place.write("forged/.git", `gitdir: ${join(place.project, ".git")}\n`);
  place.write("copy/.git", "gitdir: ../project/.git\n");
  await place.skillet(["trust", "--yes"]);
  expect(standing(await place.open())).toContain("deploy enabled");
  for (const folder of ["project/inner", "copy", "forged"]) {
    const skills = await place.open({ workspace: join(place.root, folder) });
    expect([folder, ...standing(skills)]).toEqual([folder, "deploy untrusted", "mine enabled"]);
  }
});

test("no key of a header, a config, a manifest or a store reaches a prototype", async () => {
  const place = createPlace();
  const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":"kit"}';
  const root = "home/.skillet/skills";
  place.write(`${root}/.claude-plugin/plugin.json`, json);
  place.write(
    `${root}/a/SKILL.md`,
    `---\nname: __proto__\ndescription: A.\n__proto__: {polluted: 1}\nmetadata: '${json}'\n---\n`,
  );
  place.write(
    `${root}/b/SKILL.md`,
    "---\nname: constructor\ndescription: B.\nconstructor: {prototype: {polluted: 1}}\nmetadata:\n" +
      "  __proto__: {polluted: 1}\n  openclaw: {__proto__: {polluted: 1}, install: [{kind: x, __proto__: {polluted: 1}}]}\n---\n",
  );
  place.write(
    `${root}/a/agents/openai.yaml`,
    "__proto__: {polluted: 1}\ninterface: {__proto__: {polluted: 1}}\n",
  );
  place.write(
    "home/.skillet/config.yaml",
    "__proto__: {polluted: 1}\nprofiles: {__proto__: {skills: [a]}}\n" +
      "skills: {overrides: {__proto__: {enabled: false}}}\n",
  );
  const skills = await place.open();
  expect(standing(skills)).toEqual(["kit:__proto__ disabled", "kit:constructor enabled", "mine enabled"]);
  // A second start reads what the first one kept.
  expect(JSON.stringify((await place.open()).snapshot)).toBe(JSON.stringify(skills.snapshot));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
