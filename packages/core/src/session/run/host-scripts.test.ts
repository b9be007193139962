import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../../open-skills.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { trustFolder } from "../../trust/trust-store.ts";
import type { Skills } from "../../workspace/skills.ts";
import { projectSkills } from "../../workspace/trusted-skills.ts";
import { type RecordingRunner, recordingRunner } from "../testing/recording-runner.ts";

const SCRIPTS = { "scripts/main.sh": "#!/bin/sh\n", "scripts/lib.sh": "#!/bin/sh\n" };
const CONFIG = `profiles:
  bare: { skills: ["*"], scripts: ["pdf:scripts/lib.sh"], hostScripts: ["pdf:scripts/main.sh", "pdf:scripts/lib.sh"] }
  qualified: { skills: ["*"], hostScripts: ["project:pdf:scripts/main.sh"] }
  user: { skills: ["*"], hostScripts: ["forms:scripts/main.sh"] }
`;

async function open(): Promise<Skills> {
  const base = temporaryDirectory();
  const skill = (folder: string, name: string): Record<string, string> => ({
    [`${folder}/SKILL.md`]: skillText(name),
    ...Object.fromEntries(Object.entries(SCRIPTS).map(([path, text]) => [`${folder}/${path}`, text])),
  });
  const project = writeTree(join(base, "project"), {
    ".git/HEAD": "ref: refs/heads/main\n",
    ...skill(".agents/skills/pdf", "pdf"),
  });
  writeTree(join(base, "home"), {
    ".skillet/config.yaml": CONFIG,
    ...skill(".skillet/skills/forms", "forms"),
  });
  const openAll = (): Promise<Skills> =>
    openSkills({
      workspace: project,
      userHome: join(base, "home"),
      environment: { PATH: "" },
      organisationDirectory: join(base, "organisation"),
      bundledDirectory: false,
    });
  const before = await openAll();
  const skills = await projectSkills(before);
  await trustFolder({ home: before.home, projectRoot: project, skills, clock: Date.now });
  return openAll();
}

async function targetOf(
  runner: RecordingRunner,
  profile: string,
  [name, path]: readonly [name: string, path: string],
): Promise<string> {
  const session = await (await open()).session({ runner, profile });
  await session.activate(name);
  const run = await session.run(name, path);
  return run.status === "refused" ? run.code : run.target;
}

test("a project's skill that has a bare name does not run beside the host by it, but in the sandbox where that is let", async () => {
  const runner = recordingRunner({ allow: [] });
  expect(await targetOf(runner, "bare", ["pdf", "scripts/main.sh"])).toBe("script-not-allowlisted");
  expect(await targetOf(runner, "bare", ["pdf", "scripts/lib.sh"])).toBe("sandbox");
});

test("a project's skill runs beside the host where it is named as the project's, also in a child that is given it", async () => {
  const runner = recordingRunner({ allow: [] });
  expect(await targetOf(runner, "qualified", ["pdf", "scripts/main.sh"])).toBe("host");
  const parent = await (await open()).session({ runner, profile: "qualified" });
  const scripts = ["pdf:scripts/main.sh"];
  const child = await parent.fork({ skills: ["pdf"], scripts, tools: ["run_skill_script"] });
  await child.activate("pdf");
  expect(await child.run("pdf", "scripts/main.sh")).toMatchObject({ target: "host" });
});

test("a user's own skill runs beside the host by its bare name", async () => {
  const runner = recordingRunner({ allow: [] });
  expect(await targetOf(runner, "user", ["forms", "scripts/main.sh"])).toBe("host");
});
