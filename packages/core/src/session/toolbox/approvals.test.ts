import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answer, Question } from "../../ask.ts";
import type { ResumedSession } from "../resume/resume-session.ts";
import type { Session } from "../session.ts";
import { tinyRunner } from "../tools/testing/tiny-runner.ts";
import type { AgentToolOptions, AgentToolResult } from "./agent-tool.ts";
import { openPlace, type Place, toolOf } from "./testing/open-toolbox.ts";

const ASK_SCRIPTS = "policy: { rules: [{ tool: run_skill_script, action: ask }] }";
const ASK_LOADING = "policy: { rules: [{ skill: forms, action: ask }] }";
const SCRIPT = { skill: "forms", path: "scripts/echo.sh", args: ["-"], stdin: "a" };

function yes({ id }: Question): Answer {
  return { choice: "allow", ...(id !== undefined && { id }) };
}

async function execute(
  session: Session,
  name: string,
  input: unknown,
  options?: AgentToolOptions,
): Promise<AgentToolResult> {
  return toolOf(await session.toolbox(), name).execute(input, options);
}

/** The question that a call raises in a session whose host answers later. */
async function questionOf(session: Session, name: string, input: unknown): Promise<Question> {
  const { question } = await toolOf(await session.toolbox(), name).preflight(input);
  if (question === undefined) throw new Error("There is no question.");
  return question;
}

const CALLS = [
  ["load_skill", ASK_LOADING, { name: "forms" }, { name: "forms", arguments: "other" }],
  ["run_skill_script", ASK_SCRIPTS, SCRIPT, { ...SCRIPT, args: ["-", "-"] }],
  ["forms__echo", ASK_SCRIPTS, { text: "a" }, { text: "b" }],
] as const;

async function openAsking(name: string, config: string): Promise<Place> {
  const place = await openPlace({ config, interactive: true });
  if (name !== "load_skill") await place.session.activate("forms");
  return place;
}

describe.each(CALLS)("%s, about which a rule asks", (name, config, input, other) => {
  test("waits for an approval, which holds for exactly this call", async () => {
    const { session } = await openAsking(name, config);
    const waiting = await execute(session, name, input);
    expect(waiting).toMatchObject({ isError: true, code: "approval-needed", text: /waits for approval/ });
    const question = await questionOf(session, name, input);
    expect(question).toEqual(waiting.question);
    expect(question).toMatchObject({ skill: "forms", digest: /^sha256:/, id: /^sha256:/, call: {} });
    for (const [given, approval] of [
      [other, yes(question)],
      [input, { choice: "allow" }],
      [input, { choice: "allow", id: "sha256:0" as const }],
      [input, { ...yes(question), choice: "deny" }],
    ] as const)
      expect(await execute(session, name, given, { approval })).toMatchObject({ isError: true });
    expect(await execute(session, name, input, { approval: yes(question) })).toMatchObject({
      isError: false,
    });
  });

  test("is approved in another process, where the run is resumed", async () => {
    const { session, skills } = await openAsking(name, config);
    const question = JSON.parse(JSON.stringify(await questionOf(session, name, input))) as Question;
    await session.turn().end();
    const runner = tinyRunner(["forms:scripts/echo.sh"]);
    const resumed: ResumedSession = await skills.resume(session.runFolder, { interactive: true, runner });
    expect(await execute(resumed.session, name, input, { approval: yes(question) })).toMatchObject({
      isError: false,
    });
  });

  test("is not approved by an answer for another run, also not in the same registry", async () => {
    const { session, skills } = await openAsking(name, config);
    const question = await questionOf(session, name, input);
    const runner = tinyRunner(["forms:scripts/echo.sh"]);
    const other = await skills.session({ interactive: true, runner });
    if (name !== "load_skill") await other.activate("forms");
    expect(await execute(other, name, input, { approval: yes(question) })).toMatchObject({
      code: "approval-needed",
      text: expect.stringContaining("the approval is for another call"),
    });
  });

  test("is not run by an approval after the policy has denied it", async () => {
    const { session } = await openAsking(name, config);
    const tool = toolOf(await session.toolbox(), name);
    const { question } = await tool.preflight(input);
    if (question === undefined) throw new Error("There is no question.");
    await session.setMode("locked");
    const result = await tool.execute(input, { approval: yes(question) });
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty("question");
  });

  test("is not run by the approval of what the skill was before it changed", async () => {
    const { session, root, skills } = await openAsking(name, config);
    const question = await questionOf(session, name, input);
    const file = join(root, name === "load_skill" ? "forms/SKILL.md" : "forms/scripts/echo.sh");
    writeFileSync(
      file,
      name === "load_skill" ? "---\nname: forms\ndescription: Other.\n---\nOther.\n" : "cat #\n",
    );
    await skills.reload();
    await session.refresh();
    if (name !== "load_skill") await session.activate("forms", { source: "user" });
    expect(await execute(session, name, input, { approval: yes(question) })).toMatchObject({
      code: "approval-needed",
      text: /the approval is for another call/,
    });
  });

  test("is refused without a question where no person can be asked", async () => {
    const place = await openPlace({ config });
    if (name !== "load_skill") await place.session.activate("forms");
    const { tools } = await place.session.toolbox();
    // A model is not told of a declared tool whose script may not run.
    if (name === "forms__echo") return expect(tools.map((tool) => tool.name)).not.toContain(name);
    expect(await toolOf(await place.session.toolbox(), name).preflight(input)).toMatchObject({
      outcome: "deny",
    });
    const result = await execute(place.session, name, input, {
      approval: { choice: "allow", id: "sha256:0" },
    });
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty("question");
  });
});

test("asking beforehand records nothing and asks nobody; the call itself asks once", async () => {
  const asked: Question[] = [];
  const { session } = await openPlace({
    config: ASK_SCRIPTS,
    ask: async (question) => {
      asked.push(question);
      return { choice: "deny" };
    },
  });
  await session.activate("forms");
  const before = (await session.recorded()).length;
  const tool = toolOf(await session.toolbox(), "run_skill_script");
  for (const input of [SCRIPT, { ...SCRIPT, path: "scripts/none.sh" }, { skill: 5 }])
    await tool.preflight(input);
  expect([asked.length, (await session.recorded()).length]).toEqual([0, before]);
  expect(await tool.preflight({ ...SCRIPT, path: "scripts/none.sh" })).toMatchObject({ outcome: "deny" });
  expect(await tool.execute(SCRIPT)).toMatchObject({ code: "script-denied" });
  expect([asked.length, (await session.recorded()).length]).toEqual([1, before + 1]);
});

test("asking beforehand does not wait for the answer to a call that is being asked about", async () => {
  const [answered, asking] = [new EventEmitter(), new EventEmitter()];
  const { session } = await openPlace({
    config: ASK_SCRIPTS,
    ask: async () => {
      const answer = once(answered, "now");
      asking.emit("now");
      return (await answer)[0] as Answer;
    },
  });
  await session.activate("forms");
  const tool = toolOf(await session.toolbox(), "run_skill_script");
  const asked = once(asking, "now");
  const running = tool.execute(SCRIPT);
  await asked;
  expect(await tool.preflight(SCRIPT)).toMatchObject({ outcome: "ask" });
  answered.emit("now", { choice: "allow" });
  expect(await running).toMatchObject({ isError: false });
  expect(await tool.preflight({ ...SCRIPT, stdin: "b" })).toMatchObject({ outcome: "allow" });
});

describe("guard", () => {
  const WRITE = { tool: "Write", input: "a.md" };

  test("gives the text for the model, the decision, and the question that waits", async () => {
    const { session } = await openPlace({ interactive: true });
    expect(await session.guard(WRITE)).toMatchObject({ allowed: true });
    await session.activate("notes");
    const guarded = await session.guard(WRITE);
    if (guarded.allowed || guarded.question === undefined) throw new Error("It is narrowed away.");
    expect(guarded.text).toMatch(/^Write was not called: notes does not cover it: .*waits for approval\./);
    expect(guarded).toMatchObject({
      decision: { outcome: "ask" },
      question: { kind: "tool", skill: "notes" },
    });
    const approval = yes(guarded.question);
    expect(await session.guard(WRITE, { approval })).toMatchObject({ allowed: true });
    expect(await session.guard({ ...WRITE, input: "b.md" }, { approval })).toMatchObject({ allowed: false });
    expect(
      await session.guard({ tool: "Write", input: 5n }, { approval: { choice: "allow" } }),
    ).toMatchObject({
      allowed: false,
    });
    await session.turn().end();
    expect(await session.guard(WRITE)).toMatchObject({ allowed: true });
  });

  test("holds what a turn has narrowed until the last turn that overlaps it has ended", async () => {
    const { session } = await openPlace();
    const [first, second] = [session.turn(), session.turn()];
    await session.activate("notes");
    await first.end();
    await first.end();
    expect(await session.guard(WRITE)).toMatchObject({ allowed: false });
    await second.end();
    expect(await session.guard(WRITE)).toMatchObject({ allowed: true });
    const open = session.turn();
    const before = (await session.recorded()).length;
    await session.close();
    await open.end();
    expect((await session.recorded()).length).toBe(before + 1);
  });

  test("refuses what a person said no to, and narrows as before, also in a run that was closed and resumed", async () => {
    const { session, skills } = await openPlace();
    await session.activate("notes");
    await session.close();
    const { session: resumed } = await skills.resume(session.runFolder, { interactive: true });
    expect(await resumed.guard(WRITE)).toMatchObject({ allowed: false });
    await resumed.turn().end();
    expect(await resumed.guard(WRITE)).toMatchObject({ allowed: true });
    const no = { choice: "deny" };
    expect(await resumed.guard(WRITE, { approval: no })).toMatchObject({
      allowed: false,
      text: "Write was not called: a person said no. Do without it.",
    });
  });

  test("reads the input of a call also from its JSON", async () => {
    const { session } = await openPlace();
    await session.activate("notes");
    const input = { path: "a.md" };
    const [plain, json] = [
      { tool: "Read", input },
      { tool: "Read", input: JSON.stringify(input) },
    ];
    expect(await session.guard(json)).toEqual(await session.guard(plain));
  });

  test("takes a list of the host's tools, and nothing that could be read as one", async () => {
    await expect(openPlace({ hostTools: "todo_write,Write" as never })).rejects.toMatchObject({
      code: "call-invalid",
    });
    const { session } = await openPlace({ interactive: true });
    await session.activate("notes");
    expect(await session.guard(WRITE, { approval: null as never })).toMatchObject({ allowed: false });
  });

  test("asks the person that the host has", async () => {
    const asked: Question[] = [];
    const ask = async (question: Question): Promise<Answer> => {
      asked.push(question);
      return { choice: asked.length === 1 ? "allow" : "deny" };
    };
    const { session } = await openPlace({ ask });
    await session.activate("notes");
    expect([(await session.guard(WRITE)).allowed, (await session.guard(WRITE)).allowed]).toEqual([
      true,
      false,
    ]);
    expect(asked).toMatchObject([{ kind: "tool", call: WRITE }, {}]);
    const refusals = (await session.recorded()).filter(({ kind }) => kind === "refusal");
    expect(refusals).toMatchObject([{ what: "tool", subject: "Write a.md", error: { code: "tool-ask" } }]);
  });

  test("leaves a model the tools of skills and the host's own, unless a rule denies them", async () => {
    const config = "policy: { rules: [{ tool: todo_clear, action: deny }] }";
    const { session } = await openPlace({ config, hostTools: ["todo_write", "todo_clear"] });
    await session.activate("notes");
    const allowed = async (tool: string): Promise<boolean> => (await session.guard({ tool })).allowed;
    for (const tool of ["load_skill", "read_skill_resource", "search_skills", "todo_write"])
      expect([tool, await allowed(tool)]).toEqual([tool, true]);
    for (const tool of ["todo_clear", "delegate", "Write"])
      expect([tool, await allowed(tool)]).toEqual([tool, false]);
    const fork = await session.fork({ skills: ["forms"], tools: ["Read"] });
    expect((await fork.guard({ tool: "todo_write" })).allowed).toBe(false);
    expect((await fork.guard({ tool: "load_skill" })).allowed).toBe(true);
  });
});
