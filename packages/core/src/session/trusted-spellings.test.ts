import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { trustFolder } from "../trust/trust-store.ts";
import type { Skills } from "../workspace/skills.ts";
import { projectSkills } from "../workspace/trusted-skills.ts";
import { recordingRunner } from "./testing/recording-runner.ts";

const composed = "scripts/\u00c5.sh";
const sign = "scripts/\u212b.sh";
const decomposed = "scripts/A\u030a.sh";

test("a trusted skill in which another file took the path of a script is not run", async () => {
  const base = temporaryDirectory();
  const project = writeTree(join(base, "project"), {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".agents/skills/deploy/SKILL.md": skillText("deploy"),
    [`.agents/skills/deploy/${composed}`]: "#!/bin/sh\necho safe\n",
    [`.agents/skills/deploy/${decomposed}`]: "#!/bin/sh\necho harm\n",
  });
  const skill = join(project, ".agents/skills/deploy");
  const open = (): Promise<Skills> =>
    openSkills({
      workspace: project,
      userHome: join(base, "home"),
      environment: { PATH: "" },
      organisationDirectory: join(base, "organisation"),
      bundledDirectory: false,
    });
  const before = await open();
  const skills = await projectSkills(before);
  await trustFolder({ home: before.home, projectRoot: project, skills, clock: Date.now });
  renameSync(join(skill, composed), join(skill, sign));
  renameSync(join(skill, decomposed), join(skill, composed));
  const runner = recordingRunner({ allow: [`deploy:${composed}`] });
  const session = await (await open()).session({ runner });
  await session.activate("deploy").catch(() => undefined);
  await session.run("deploy", composed);
  const ran = runner.staged.map((files) => Buffer.from(files.get(composed)?.bytes ?? []).toString());
  expect(ran).toEqual([]);
});
