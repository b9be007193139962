import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import type { ScriptRunner } from "../script-runner.ts";
import { openFolder, openSession } from "../testing/open-session.ts";
import { recordingRunner } from "../testing/recording-runner.ts";

const MAIN = "tools:scripts/main.sh";

function folder(): string {
  return writeTree(join(temporaryDirectory(), "skills"), {
    "tools/SKILL.md": skillText("tools"),
    "tools/scripts/main.sh": "#!/bin/sh\n",
  });
}

test("a child that finishes while its script is being staged does not start it", async () => {
  const inner = recordingRunner();
  let meanwhile: () => Promise<unknown> = async () => undefined;
  const runner: ScriptRunner = {
    allow: [MAIN],
    prepare: async (script) => {
      const prepared = await inner.prepare(script);
      await meanwhile();
      return prepared;
    },
  };
  const parent = await openSession(folder(), { runner });
  const child = await parent.fork({ skills: ["tools"], scripts: [MAIN], tools: ["run_skill_script"] });
  await child.activate("tools");
  meanwhile = () => child.finish("Done.");
  await child.run("tools", "scripts/main.sh").catch(() => undefined);
  expect(inner.calls).toEqual([]);
});

test("a skill that was dropped while a person was asked about its script does not run it", async () => {
  const root = folder();
  const runner = recordingRunner();
  let meanwhile: () => Promise<unknown> = async () => undefined;
  const ask = async () => {
    await meanwhile();
    return { choice: "allow" };
  };
  const config = "policy: { rules: [{ tool: run_skill_script, action: ask }] }\n";
  const session = await openSession(root, { runner, ask }, await openFolder(root, config));
  await session.activate("tools");
  meanwhile = () => session.compact({ budgetTokens: 1 });
  const run = await session.run("tools", "scripts/main.sh");
  expect(run).toMatchObject({ code: "skill-not-activated" });
});
