import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import type { Answer, Question } from "../../ask.ts";
import { writeTree } from "../../testing/write-tree.ts";
import type { SessionOptions } from "../session.ts";
import { decideScriptIn } from "../testing/inspect-session.ts";
import { openFolder, openSession, type TestSession } from "../testing/open-session.ts";
import { type RecordingRunner, recordingRunner } from "../testing/recording-runner.ts";
import { decisionOf } from "../testing/unwrap.ts";

function skill(name: string, header = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header}---\nBody.\n`;
}

let folder: string;
let runner: RecordingRunner;
beforeEach(() => {
  runner = recordingRunner();
  folder = writeTree(join(temporaryDirectory(), "skills"), {
    "tools/SKILL.md": skill("tools"),
    "tools/scripts/main.sh": "#!/bin/bash\n",
    "tools/scripts/lib.sh": "echo\n",
    "narrow/SKILL.md": skill("narrow", "allowed-tools: Read\n"),
    "bars/SKILL.md": skill("bars", "disallowed-tools: run_skill_script\n"),
  });
});

async function open(config = "", options: SessionOptions = {}): Promise<TestSession> {
  return openSession(folder, { runner, ...options }, await openFolder(folder, config));
}

async function codeOf(session: Pick<TestSession, "run">): Promise<string> {
  const run = await session.run("tools", "scripts/main.sh");
  return run.status === "refused" ? run.code : run.status;
}

const rule = (text: string): string => `policy: { rules: [${text}] }\n`;

describe("rules of the configuration", () => {
  test.each([
    ["{ tool: run_skill_script, action: deny }", "script-denied"],
    ['{ tool: "run_skill_script(tools:scripts/main.sh)", action: deny }', "script-denied"],
    ['{ tool: "run_skill_script(explicit:tools:scripts/main.sh)", action: deny }', "script-denied"],
    ['{ tool: "run_skill_script(TOOLS:scripts/main.sh)", action: deny }', "script-denied"],
    ['{ tool: "run_skill_script(tools:*)", action: deny }', "script-denied"],
    ['{ tool: "run_skill_script(tools)", action: deny }', "script-denied"],
    ["{ skill: tools, tool: run_skill_script, action: deny }", "script-denied"],
    ["{ tool: run_skill_script, action: ask }", "script-denied"],
    ["{ tool: run_skill_script, source: user, action: deny }", "executed"],
    ["{ tool: run_skill_script, source: model, action: deny }", "script-denied"],
    ['{ tool: "run_skill_script(tools:scripts/lib.sh)", action: deny }', "executed"],
    ['{ tool: "run_skill_script(other:*)", action: deny }', "executed"],
    ["{ skill: narrow, tool: run_skill_script, action: deny }", "executed"],
    [
      "{ tool: run_skill_script, action: deny }, { tool: 'run_skill_script(tools:scripts/main.sh)', action: allow }",
      "executed",
    ],
    [
      "{ tool: run_skill_script, action: deny }, { tool: 'run_skill_script(explicit:tools:*)', action: allow }",
      "executed",
    ],
    [
      "{ tool: run_skill_script, action: deny }, { tool: 'run_skill_script(tools:scripts/lib.sh)', action: allow }",
      "script-denied",
    ],
  ])("%s: %s", async (text, code) => {
    const session = await open(rule(text));
    await session.activate("tools");
    expect(await codeOf(session)).toBe(code);
    // What speaks about a skill and its scripts holds beyond the turn in which it was loaded.
    await session.turn().end();
    expect(await codeOf(session)).toBe(code);
  });
});

describe("what narrows", () => {
  test("a skill need not name the tool for its own scripts, and covers them beside others", async () => {
    writeFileSync(join(folder, "tools/SKILL.md"), skill("tools", "allowed-tools: Read\n"));
    const session = await open();
    await session.activate("tools");
    await session.activate("narrow");
    expect(await codeOf(session)).toBe("executed");
    expect(
      (await decisionOf(session.guard({ tool: "run_skill_script", input: "x:scripts/y" }))).outcome,
    ).toBe("deny");
  });

  test("another skill of the turn narrows what an earlier turn loaded", async () => {
    const session = await open();
    await session.activate("tools");
    await session.turn().end();
    expect(await codeOf(session)).toBe("executed");
    await session.activate("narrow");
    expect(await codeOf(session)).toBe("script-denied");
  });

  test("what any active skill disallows is denied", async () => {
    const session = await open();
    await session.activate("tools");
    await session.activate("bars");
    expect(await codeOf(session)).toBe("script-denied");
  });

  test("a skill that disallows its own scripts does so beyond the turn", async () => {
    writeFileSync(join(folder, "tools/SKILL.md"), skill("tools", "disallowed-tools: run_skill_script\n"));
    const session = await open();
    await session.activate("tools");
    await session.turn().end();
    expect(await codeOf(session)).toBe("script-denied");
  });
});

test("plan mode runs no script, even of a skill that could be loaded", async () => {
  const session = await open("", { mode: "plan" });
  await session.activate("tools", { source: "user" }).catch(() => undefined);
  expect(["script-denied", "skill-not-found"]).toContain(await codeOf(session));
});

test("locked mode runs what is on the list, and takes a question for a no", async () => {
  const locked = { mode: "locked", allow: ["tools"], ask: async () => ({ choice: "allow" }) } as const;
  const session = await open("", locked);
  await session.activate("tools");
  expect(await codeOf(session)).toBe("executed");
  const asked = await open(rule("{ tool: run_skill_script, action: ask }"), locked);
  await asked.activate("tools");
  expect(await codeOf(asked)).toBe("script-denied");
});

test("a script can be asked about before its skill is loaded, with the answer that it will get then", async () => {
  const decided = async (name: string, config = ""): Promise<string[]> => {
    const session = await open(config);
    const found = session.snapshot.skills.find((one) => one.name === name);
    if (found === undefined) throw new Error(name);
    const before = decideScriptIn(session, found, "scripts/main.sh").outcome;
    await session.activate(name, { source: "user" });
    return [before, decideScriptIn(session, found, "scripts/main.sh").outcome];
  };
  expect(await decided("tools")).toEqual(["allow", "allow"]);
  expect(await decided("narrow")).toEqual(["allow", "allow"]);
  expect(await decided("bars")).toEqual(["deny", "deny"]);
  const byOtherName = rule('{ tool: "run_skill_script(explicit:tools:*)", action: deny }');
  expect(await decided("tools", byOtherName)).toEqual(["deny", "deny"]);
});

describe("a question", () => {
  const ASK = rule("{ tool: run_skill_script, action: ask }");

  async function openAsking(
    answer: () => Promise<Answer | undefined>,
    options: SessionOptions = {},
  ): Promise<{ session: TestSession; questions: Question[] }> {
    const questions: Question[] = [];
    const ask = async (question: Question): Promise<Answer | undefined> => {
      questions.push(question);
      return answer();
    };
    const session = await open(ASK, { ask, ...options });
    await session.activate("tools");
    return { session, questions };
  }

  test("names script, runtime, place and sandbox, and is bound to the tree", async () => {
    const { session, questions } = await openAsking(async () => ({ choice: "allow" }));
    const run = await session.run("tools", "scripts/main.sh");
    if (run.status === "refused") throw new Error(run.message);
    expect(questions).toEqual([
      {
        kind: "script",
        skill: "tools",
        digest: run.treeDigest,
        reason: "tools:scripts/main.sh wants to run with bash in the sandbox memory: a rule asks about it",
        choices: ["allow", "deny"],
        call: {
          tool: "run_skill_script",
          input: { skill: "tools", path: "scripts/main.sh", args: [], cwd: "workspace", target: "sandbox" },
        },
        id: expect.stringMatching(/^sha256:/),
      },
    ]);
  });

  test("names the machine where that is another one", async () => {
    const { prepare } = runner;
    const remote: typeof prepare = async (...given) => {
      const prepared = await prepare(...given);
      return "run" in prepared ? { ...prepared, sandbox: "ssh", place: "anna@build.example" } : prepared;
    };
    runner = { ...runner, prepare: remote };
    const { session, questions } = await openAsking(async () => ({ choice: "allow" }));
    await session.run("tools", "scripts/main.sh");
    expect(questions.map(({ reason }) => reason)).toEqual([
      'tools:scripts/main.sh wants to run with bash in the sandbox ssh on "anna@build.example": a rule asks about it',
    ]);
  });

  test("is asked once for a script and a tree, whatever the arguments, and again for another", async () => {
    runner = recordingRunner({ allow: ["tools:scripts/main.sh", "tools:scripts/lib.sh"] });
    const { session, questions } = await openAsking(async () => ({ choice: "allow" }));
    await Promise.all([
      session.run("tools", "scripts/main.sh"),
      session.run("tools", "scripts/main.sh", ["--other"]),
    ]);
    expect(questions.length).toBe(1);
    await session.run("tools", "scripts/lib.sh");
    expect(questions.length).toBe(2);
    chmodSync(join(folder, "tools/scripts/lib.sh"), 0o755);
    await session.activate("tools");
    await session.run("tools", "scripts/main.sh");
    expect(questions.length).toBe(3);
    expect(new Set(questions.map(({ digest }) => digest)).size).toBe(2);
    expect(runner.calls.length).toBe(4);
  });

  test("that was answered no is asked again", async () => {
    const { session, questions } = await openAsking(async () => ({ choice: "deny" }));
    expect([await codeOf(session), await codeOf(session)]).toEqual(["script-denied", "script-denied"]);
    expect([questions.length, runner.calls.length]).toEqual([2, 0]);
  });

  test("what changes while a person is thinking does not run", async () => {
    const { session } = await openAsking(async () => {
      writeFileSync(join(folder, "tools/scripts/main.sh"), "#!/bin/bash\nevil\n");
      return { choice: "allow" };
    });
    expect(await codeOf(session)).toBe("executed");
    const staged = runner.staged[0]?.get("scripts/main.sh")?.bytes;
    expect(Buffer.from(staged ?? []).toString()).toBe("#!/bin/bash\n");
  });

  test("ends with the call when it is cancelled, and the cancellation is recorded", async () => {
    const controller = new AbortController();
    const { session } = await openAsking(() => {
      controller.abort();
      return new Promise(() => undefined);
    });
    await expect(
      session.run("tools", "scripts/main.sh", [], { signal: controller.signal }),
    ).rejects.toMatchObject({ name: "AbortError" });
    expect((await session.recorded()).at(-1)).toMatchObject({
      status: "error",
      error: { code: "script-cancelled" },
    });
  });
});

describe("a call of the tool that a host judges itself", () => {
  test.each([
    [{ skill: "tools", path: "scripts/main.sh" }, "deny"],
    [{ skill: "tools", path: "scripts/main.sh", args: ["x"] }, "deny"],
    ["tools:scripts/main.sh", "deny"],
    [{ skill: "tools", path: "./scripts/main.sh" }, "deny"],
    [{ skill: "tools", path: "scripts/x/../main.sh" }, "deny"],
    [{ skill: "tools" }, "deny"],
    [{ skill: "tools", path: "scripts/lib.sh" }, "allow"],
  ])("%j: %s", async (input, outcome) => {
    const session = await open(rule('{ tool: "run_skill_script(tools:scripts/main.sh)", action: deny }'));
    expect((await decisionOf(session.guard({ tool: "run_skill_script", input }))).outcome).toBe(outcome);
  });
});
