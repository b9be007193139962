import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { openSession, type TestSession } from "../testing/open-session.ts";
import { type RecordingRunner, recordingRunner } from "../testing/recording-runner.ts";
import { type RunSkillScriptTool, runSkillScriptTool } from "./run-skill-script-tool.ts";

let session: TestSession;
let runner: RecordingRunner;
let tool: RunSkillScriptTool;
beforeEach(async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "tools/SKILL.md": skillText("tools"),
    "tools/scripts/main.sh": "#!/bin/bash\n",
  });
  runner = recordingRunner();
  session = await openSession(folder, { runner });
  tool = runSkillScriptTool(session) as RunSkillScriptTool;
});

test("there is no tool where nothing may run", async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), { "tools/SKILL.md": skillText("tools") });
  expect(runSkillScriptTool(await openSession(folder))).toBeUndefined();
  const idle = recordingRunner({ allow: [] });
  expect(runSkillScriptTool(await openSession(folder, { runner: idle }))).toBeUndefined();
});

test("what a model passes reaches the script, and nothing else can be passed", async () => {
  await session.activate("tools");
  const input = { skill: "tools", path: "scripts/main.sh", args: ["a"], cwd: "skill", timeoutMs: 9 };
  expect(await tool.execute(input)).toMatchObject({ status: "executed" });
  expect(await tool.execute({ skill: "tools", path: "scripts/main.sh", args: null })).toMatchObject({
    status: "executed",
  });
  expect(runner.calls).toMatchObject([
    { args: ["a"], cwd: "skill", timeoutMs: 9 },
    { args: [], cwd: "workspace", timeoutMs: 60_000 },
  ]);
  for (const property of ["stdin", "signal", "onOutput", "target", "constructor"])
    await expect(tool.execute({ ...input, [property]: "x" })).rejects.toMatchObject({
      code: "tool-input-invalid",
    });
  for (const odd of [undefined, null, "x", [], {}, { skill: "tools" }, { skill: 1, path: "scripts/main.sh" }])
    await expect(tool.execute(odd)).rejects.toMatchObject({ code: "tool-input-invalid" });
  expect(runner.calls.length).toBe(2);
});

test("values of the wrong kind are refused by the session, and recorded", async () => {
  for (const odd of [{ args: "a" }, { args: [1] }, { cwd: "/" }, { timeoutMs: "9" }]) {
    const run = await tool.execute({ skill: "tools", path: "scripts/main.sh", ...odd });
    expect(run).toMatchObject({ status: "refused", code: "script-arguments-invalid" });
  }
  expect(await session.recorded()).toMatchObject(Array(4).fill({ kind: "script-execution" }));
});

test("the schema names what is taken, closed to anything else", () => {
  expect(tool).toMatchObject({
    name: "run_skill_script",
    inputSchema: { required: ["skill", "path"], additionalProperties: false },
  });
});
