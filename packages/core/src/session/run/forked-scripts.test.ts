import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { scriptsIn } from "../testing/inspect-session.ts";
import { openFolder, openSession, type TestSession } from "../testing/open-session.ts";
import { type RecordingRunner, recordingRunner } from "../testing/recording-runner.ts";

const MAIN = "tools:scripts/main.sh";
const TOOLS = ["run_skill_script"];
const CONFIG = `profiles:
  helper: { skills: [tools], scripts: ["${MAIN}", "other:scripts/main.sh"] }
  bare: { skills: [tools] }
  host: { skills: [tools], hostScripts: ["${MAIN}"] }
`;
let folder: string;
let runner: RecordingRunner;
beforeEach(() => {
  runner = recordingRunner({ allow: [MAIN, "other:scripts/main.sh"] });
  folder = writeTree(join(temporaryDirectory(), "skills"), {
    "tools/SKILL.md": skillText("tools"),
    "tools/scripts/main.sh": "#!/bin/bash\n",
    "tools/scripts/lib.sh": "#!/bin/bash\n",
    "other/SKILL.md": skillText("other"),
    "other/scripts/main.sh": "#!/bin/bash\n",
  });
});

async function openParent(
  options: { readonly profile?: string; readonly runner?: RecordingRunner } = {},
): Promise<TestSession> {
  return openSession(folder, { runner, ...options }, await openFolder(folder, CONFIG));
}

async function codeOf(session: Pick<TestSession, "run" | "activate">, path = "main.sh"): Promise<string> {
  await session.activate("tools");
  const run = await session.run("tools", `scripts/${path}`);
  return run.status === "refused" ? run.code : `${run.status} ${run.target}`;
}

test("a child runs nothing by itself, whatever its parent may", async () => {
  const child = await (await openParent()).fork({ skills: ["tools"], tools: TOOLS });
  expect(await codeOf(child)).toBe("script-runner-missing");
  expect(scriptsIn(child)).toEqual([]);
  const grandchild = await child.fork({ profile: "helper", tools: TOOLS });
  expect(await codeOf(grandchild)).toBe("script-runner-missing");
  const bare = await (await openParent()).fork({ profile: "bare", tools: TOOLS });
  expect(await codeOf(bare)).toBe("script-runner-missing");
});

test("a child runs the scripts that it was given by name, where its tools cover them, and no others", async () => {
  const parent = await openParent();
  const child = await parent.fork({ skills: ["tools", "other"], scripts: [MAIN], tools: TOOLS });
  expect(await codeOf(child)).toBe("executed sandbox");
  await child.activate("other");
  expect(await child.run("other", "scripts/main.sh")).toMatchObject({ code: "script-not-allowlisted" });
  expect(scriptsIn(child)).toEqual([MAIN]);
  expect((await parent.recorded())[0]).toMatchObject({ kind: "fork", scripts: [MAIN] });
  const run = canonicalPath(parent.runFolder);
  expect(runner.calls[0]?.protect).toEqual([run, join(run, "children", child.runId)]);
  const without = await parent.fork({ skills: ["tools"], scripts: [MAIN] });
  expect(await codeOf(without)).toBe("script-denied");
  const exact = await parent.fork({
    skills: ["tools"],
    scripts: [MAIN],
    tools: ["run_skill_script(tools:scripts/main.sh)"],
  });
  expect(await codeOf(exact)).toBe("executed sandbox");
});

test("a child that inherits scripts has those of its own skills that the parent may run", async () => {
  const child = await (await openParent()).fork({ skills: ["tools"], scripts: "inherit", tools: TOOLS });
  expect(scriptsIn(child)).toEqual([MAIN]);
  expect([await codeOf(child), await codeOf(child, "lib.sh")]).toEqual([
    "executed sandbox",
    "script-not-allowlisted",
  ]);
});

test("a script that the parent may not run, or of a skill that the child has not, refuses the fork", async () => {
  const parent = await openParent();
  for (const [scripts, code] of [
    [["tools:scripts/lib.sh"], "script-not-inherited"],
    [["other:scripts/main.sh"], "script-not-inherited"],
    [["tools:scripts/*"], "script-name-invalid"],
  ] as const)
    await expect(parent.fork({ skills: ["tools"], scripts })).rejects.toMatchObject({ code });
  expect(await parent.recorded()).toMatchObject(Array(3).fill({ kind: "refusal", what: "fork" }));
  const child = await parent.fork({ skills: ["tools"], scripts: [MAIN] });
  await expect(child.fork({ skills: ["tools"], scripts: ["tools:scripts/lib.sh"] })).rejects.toMatchObject({
    code: "script-not-inherited",
  });
});

test("a profile gives a child those scripts of its skills that the parent may run, in the same place", async () => {
  const child = await (await openParent()).fork({ profile: "helper", tools: TOOLS });
  expect(scriptsIn(child)).toEqual([MAIN]);
  expect(await codeOf(child)).toBe("executed sandbox");
  const host = await (await openParent()).fork({ profile: "host", tools: TOOLS });
  expect(await codeOf(host)).toBe("script-runner-missing");
  const parent = await openParent({ profile: "host", runner: recordingRunner({ allow: [] }) });
  expect(await codeOf(await parent.fork({ profile: "host", tools: TOOLS }))).toBe("executed host");
});

test("a script keeps the place where it runs when it is handed on", async () => {
  const parent = await openParent({ profile: "host", runner: recordingRunner({ allow: [] }) });
  const child = await parent.fork({ skills: ["tools"], scripts: [MAIN], tools: TOOLS });
  expect(await codeOf(child)).toBe("executed host");
});

test("a child that has finished runs nothing", async () => {
  const child = await (await openParent()).fork({ skills: ["tools"], scripts: [MAIN], tools: TOOLS });
  await child.activate("tools");
  await child.finish("Done.");
  await expect(child.run("tools", "scripts/main.sh")).rejects.toMatchObject({ code: "session-ended" });
});

test("a child that finishes while a person is thinking runs nothing", async () => {
  const asking = "policy: { rules: [{ tool: run_skill_script, action: ask }] }\n";
  let finish: () => Promise<unknown> = async () => undefined;
  const ask = async (): Promise<{ choice: string }> => {
    await finish();
    return { choice: "allow" };
  };
  const parent = await openSession(folder, { runner, ask }, await openFolder(folder, asking));
  const child = await parent.fork({ skills: ["tools"], scripts: [MAIN], tools: TOOLS });
  finish = () => child.finish("Done.");
  await child.activate("tools");
  await expect(child.run("tools", "scripts/main.sh")).rejects.toMatchObject({ code: "session-ended" });
  expect(runner.calls).toEqual([]);
});

test("a resumed run has the scripts that the caller names again, not those of its journal", async () => {
  const first = await openParent();
  await first.activate("tools");
  await first.turn().end();
  const bare = await first.skills.resume(first.runFolder);
  expect(await bare.session.run("tools", "scripts/main.sh")).toMatchObject({ code: "script-runner-missing" });
  const none = await first.skills.resume(first.runFolder, { runner: recordingRunner({ allow: [] }) });
  expect(await none.session.run("tools", "scripts/main.sh")).toMatchObject({
    code: "script-not-allowlisted",
  });
  const again = await first.skills.resume(first.runFolder, { runner });
  expect((await again.session.run("tools", "scripts/main.sh")).status).toBe("executed");
});

test("a resumed run does not run what changed after it was resumed", async () => {
  const first = await openParent();
  await first.activate("tools");
  await first.turn().end();
  const { session } = await first.skills.resume(first.runFolder, { runner });
  writeFileSync(join(folder, "tools/scripts/lib.sh"), "evil\n");
  expect(await session.run("tools", "scripts/main.sh")).toMatchObject({ code: "script-snapshot-mismatch" });
  expect(runner.calls).toEqual([]);
});

test("a resumed run needs a skill loaded again whose text a compaction dropped", async () => {
  const first = await openParent();
  await first.activate("tools");
  await first.compact({ budgetTokens: 1 });
  const { session } = await first.skills.resume(first.runFolder, { runner });
  expect(await session.run("tools", "scripts/main.sh")).toMatchObject({ code: "skill-not-activated" });
});
