import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../kit/src/testing/temporary-directory.ts";
import { type OpenSkillsOptions, openSkills } from "./open-skills.ts";
import { MemorySource } from "./source/memory-source.ts";
import { writeTree } from "./testing/write-tree.ts";

const PDF = "---\nname: pdf\ndescription: Fills forms.\n---\nFill.\n";
const DISABLED = "skills: { overrides: { pdf: { enabled: false } } }\npolicy: { mode: locked }\n";

let machine: OpenSkillsOptions;
beforeEach(() => {
  const userHome = temporaryDirectory();
  writeTree(userHome, {
    ".skillet/config.yaml": DISABLED,
    "etc/config.yaml": "policy: { rules: [{ skill: web, action: deny }] }\n",
    "project/.skillet/config.yaml": DISABLED,
  });
  machine = {
    userHome,
    home: join(userHome, ".skillet"),
    workspace: join(userHome, "project"),
    organisationDirectory: join(userHome, "etc"),
    environment: { SKILLET_DISABLED: "pdf" },
    sources: [new MemorySource({ "pdf/SKILL.md": PDF, "web/SKILL.md": PDF.replaceAll("pdf", "web") })],
    roots: [],
    bundledDirectory: false,
    cacheDirectory: false,
  };
});

const states = async (options: OpenSkillsOptions): Promise<unknown> => {
  const skills = await openSkills({ ...machine, ...options });
  const { report } = (await skills.session()).catalog();
  return { shown: report.skills.map(({ name }) => name), mode: skills.config.config.policy.mode };
};

test("without config, the files and the environment of the machine decide", async () => {
  expect(await states({})).toEqual({ shown: [], mode: "locked" });
});

test("config: false leaves only the organisation's file, and organisationDirectory: false not even that", async () => {
  expect(await states({ config: false })).toEqual({ shown: ["pdf"], mode: "default" });
  expect(await states({ config: false, organisationDirectory: false })).toEqual({
    shown: ["pdf", "web"],
    mode: "default",
  });
  const skills = await openSkills({ ...machine, config: false, roots: undefined });
  expect(skills.config.layers.map(({ kind }) => kind)).toEqual(["organisation"]);
});

test("a config from the host is read instead of files, with paths below the workspace, and only tightens the organisation's", async () => {
  const rules = [
    { skill: "web", action: "allow" },
    { skill: "pdf", action: "deny" },
  ];
  expect(await states({ config: { policy: { rules } } })).toEqual({ shown: [], mode: "default" });
  const skills = await openSkills({ ...machine, config: { skills: { userDir: "mine" } } });
  expect(skills.config.config.skills.userDir).toBe(join(machine.workspace ?? "", "mine"));
  expect(skills.config.diagnostics).toEqual([]);
});

test("a config from the host is checked like a file, and the message says where it is from", async () => {
  const opening = openSkills({ ...machine, config: { policy: { mode: "lax" } } });
  await expect(opening).rejects.toMatchObject({ code: "config-invalid" });
  await expect(opening).rejects.toThrow(/`config` of openSkills.*mode/s);
  const { config } = await openSkills({ ...machine, config: { polcy: {} } as never });
  expect(config.diagnostics.map(({ code }) => code)).toEqual(["config-unknown-key"]);
});
