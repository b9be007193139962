import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { writeTree } from "../testing/write-tree.ts";
import { recordingRunner } from "./testing/recording-runner.ts";

const skill = (body: string): string => `---\nname: forms\ndescription: Forms.\n---\n${body}\n`;

test("the name of a skill that a compaction dropped means no other skill of that bare name", async () => {
  const home = temporaryDirectory();
  const root = writeTree(temporaryDirectory(), {
    "first/forms/SKILL.md": skill("First. ".repeat(4000)),
    "first/forms/note.md": "first",
    "first/forms/scripts/who.sh": "#!/bin/sh\necho first\n",
    "second/forms/SKILL.md": skill("Second."),
    "second/forms/note.md": "second",
    "second/forms/scripts/who.sh": "#!/bin/sh\necho second\n",
  });
  const skills = await openSkills({
    workspace: root,
    roots: [join(root, "first"), join(root, "second")],
    home: join(home, ".skillet"),
    userHome: home,
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(home, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
  });
  const runner = recordingRunner({ allow: ["forms:scripts/who.sh", "explicit:forms:scripts/who.sh"] });
  const session = await skills.session({ runner });
  await session.activate("forms");
  await session.activate("explicit:forms", { source: "user" });
  expect(await session.run("forms", "scripts/who.sh")).toMatchObject({ status: "executed", skill: "forms" });
  const { kept, dropped } = await session.compact({ budgetTokens: 1500 });
  expect({ kept, dropped }).toEqual({ kept: ["explicit:forms"], dropped: ["forms"] });
  expect(await session.run("forms", "scripts/who.sh")).toMatchObject({ code: "skill-not-activated" });
  expect(await session.read("forms", "note.md")).toMatchObject({ skill: "forms", content: "first" });
  expect(runner.prepared.map(({ skill: { qualifiedName } }) => qualifiedName)).toEqual(["forms"]);
});
