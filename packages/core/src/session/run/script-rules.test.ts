import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../../open-skills.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { openFolder, openSession } from "../testing/open-session.ts";
import { recordingRunner } from "../testing/recording-runner.ts";

test("a rule that denies a skill's scripts by its bare name holds when another skill takes that name", async () => {
  const home = temporaryDirectory();
  const root = temporaryDirectory();
  writeTree(join(home, ".skillet"), {
    "config.yaml": 'policy: { rules: [{ tool: "run_skill_script(pdf:*)", action: deny }] }\n',
  });
  const first = writeTree(join(root, "first"), { "pdf/SKILL.md": skillText("pdf", "Another.") });
  const second = writeTree(join(root, "second"), {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/scripts/main.sh": "#!/bin/sh\n",
  });
  const skills = await openSkills({
    workspace: root,
    roots: [first, second],
    home: join(home, ".skillet"),
    userHome: home,
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(home, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
  });
  const shadowed = skills.snapshot.skills.find(({ directory }) => directory.startsWith(second));
  const name = shadowed?.qualifiedName ?? "";
  const runner = recordingRunner({ allow: [`${name}:scripts/main.sh`] });
  const session = await skills.session({ runner });
  await session.activate(name, { source: "user" });
  const run = await session.run(name, "scripts/main.sh");
  expect({ name, got: run.status === "refused" ? run.code : run.status }).toEqual({
    name,
    got: "script-denied",
  });
});

test.each([
  "run_skill_script(tools:scripts)",
  "run_skill_script(tools:scripts/)",
  "run_skill_script(tools:scripts/sub:*)",
  "run_skill_script(tools:./scripts/sub/main.sh)",
  "run_skill_script(tools:scripts//sub/main.sh)",
  "run_skill_script(tools/scripts/sub/main.sh)",
  "run_skill_script(scripts/sub/main.sh)",
])("a rule that denies %s is refused when it is read, or holds", async (tool) => {
  const root = writeTree(join(temporaryDirectory(), "skills"), {
    "tools/SKILL.md": skillText("tools"),
    "tools/scripts/sub/main.sh": "#!/bin/sh\n",
  });
  const runner = recordingRunner({ allow: ["tools:scripts/sub/main.sh"] });
  const config = `policy: { rules: [{ tool: "${tool}", action: deny }] }\n`;
  const skills = await openFolder(root, config).catch(() => undefined);
  if (skills === undefined) return;
  const session = await openSession(root, { runner }, skills);
  await session.activate("tools");
  expect(await session.run("tools", "scripts/sub/main.sh")).toMatchObject({ code: "script-denied" });
});
