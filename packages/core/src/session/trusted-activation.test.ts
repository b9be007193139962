import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { trustFolder } from "../trust/trust-store.ts";
import type { Skills } from "../workspace/skills.ts";
import { projectSkills } from "../workspace/trusted-skills.ts";
import { recordingRunner } from "./testing/recording-runner.ts";

test("a trusted skill whose script was swapped is loaded with a warning, not at all in batch, and never run", async () => {
  const base = temporaryDirectory();
  const project = writeTree(join(base, "project"), {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".agents/skills/deploy/SKILL.md": skillText("deploy"),
    ".agents/skills/deploy/scripts/run.sh": "echo safe\n",
  });
  const open = (): Promise<Skills> =>
    openSkills({
      workspace: project,
      userHome: join(base, "home"),
      environment: { PATH: "" },
      organisationDirectory: join(base, "organisation"),
      bundledDirectory: false,
    });
  const before = await open();
  await trustFolder({
    home: before.home,
    projectRoot: project,
    skills: await projectSkills(before),
    clock: Date.now,
  });
  const skills = await open();
  expect(await (await skills.session()).activate("deploy")).toMatchObject({
    drifted: false,
    diagnostics: [],
  });
  const runner = recordingRunner({ allow: ["deploy:scripts/run.sh"] });
  const trusted = await skills.session({ runner });
  await trusted.activate("deploy");
  expect((await trusted.run("deploy", "scripts/run.sh")).status).toBe("executed");
  writeFileSync(join(project, ".agents/skills/deploy/scripts/run.sh"), "echo other\n");
  expect(await (await skills.session({ interactive: true })).activate("deploy")).toMatchObject({
    drifted: true,
    diagnostics: [{ code: "trusted-skill-changed" }],
  });
  const lenient = await skills.session({ runner, interactive: true, onDrift: "report" });
  await lenient.activate("deploy");
  expect(await lenient.run("deploy", "scripts/run.sh")).toMatchObject({
    code: "skill-not-trusted",
    message: expect.not.stringMatching(/skillet trust.*skillet trust/),
  });
  expect(runner.calls.length).toBe(1);
  await expect((await skills.session()).activate("deploy")).rejects.toMatchObject({
    code: "skill-drifted",
    data: { cause: "trusted-skill-changed" },
  });
});
