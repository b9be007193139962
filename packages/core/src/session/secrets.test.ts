import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import type { Answer, Question } from "../ask.ts";
import { writeTree } from "../testing/write-tree.ts";
import { usableIn } from "./testing/inspect-session.ts";
import { openSession } from "./testing/open-session.ts";
import { type RecordingRunner, recordingRunner, scriptSecrets } from "./testing/recording-runner.ts";

function needs(name: string, variable: string, header = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header}required-environment-variables:\n  - name: ${variable}\n---\nBody.\n`;
}

function tree(files: Record<string, string>): string {
  const scripts = Object.keys(files).map((path) => [
    path.replace("SKILL.md", "scripts/main.sh"),
    "#!/bin/sh\n",
  ]);
  return writeTree(join(temporaryDirectory(), "skills"), { ...files, ...Object.fromEntries(scripts) });
}

const runnerFor = (...skills: readonly string[]): RecordingRunner =>
  recordingRunner({ allow: skills.map((skill) => `${skill}:scripts/main.sh`) });

test("a variable called like a property of every object is not given by an empty answer", async () => {
  const folder = tree({ "a/SKILL.md": needs("a", "constructor") });
  const session = await openSession(folder, { ask: async () => ({ choice: "provide", secrets: {} }) });
  expect((await session.askForDependencies()).provided).toEqual([]);
});

test("what the host has for a skill is given without a question, to that skill and for what it declares", async () => {
  const folder = tree({ "a/SKILL.md": needs("a", "TOKEN"), "b/SKILL.md": needs("b", "TOKEN") });
  const runner = runnerFor("a", "b");
  const questions: Question[] = [];
  const session = await openSession(folder, {
    secrets: { a: { TOKEN: "value", OTHER: "undeclared" } },
    ask: async (question) => void questions.push(question),
    runner,
  });
  await session.askForDependencies(["a"]);
  expect(questions).toEqual([]);
  expect(await scriptSecrets(session, runner, "a")).toEqual({ TOKEN: "value" });
  await expect(session.activate("b")).rejects.toMatchObject({ code: "skill-not-found" });
});

test("a question that the host failed to put can be put again", async () => {
  const folder = tree({ "a/SKILL.md": needs("a", "TOKEN") });
  let calls = 0;
  const ask = async (): Promise<Answer> => {
    calls += 1;
    if (calls === 1) throw new Error("the window was closed");
    return { choice: "provide", secrets: { TOKEN: "v" } };
  };
  const session = await openSession(folder, { ask });
  await session.askForDependencies();
  expect((await session.askForDependencies()).provided).toEqual(["TOKEN"]);
});

test("a host that fails with something other than an Error says no", async () => {
  const folder = tree({ "a/SKILL.md": needs("a", "TOKEN") });
  const session = await openSession(folder, { ask: () => Promise.reject("closed") });
  expect((await session.askForDependencies()).provided).toEqual([]);
});

test("a variable that was asked for and not given is still missing", async () => {
  const folder = tree({ "a/SKILL.md": needs("a", "TOKEN") });
  const session = await openSession(folder, { ask: async () => ({ choice: "skip" }) });
  expect((await session.askForDependencies()).missing).toMatchObject([{ names: ["TOKEN"] }]);
});

test("a child asks for nothing that its own skills do not need", async () => {
  const folder = tree({
    "a/SKILL.md": needs("a", "TOKEN"),
    "b/SKILL.md": "---\nname: b\ndescription: B.\n---\nB.\n",
  });
  const questions: Question[] = [];
  const ask = async (question: Question): Promise<Answer> => {
    questions.push(question);
    return { choice: "skip" };
  };
  const child = await (await openSession(folder, { ask })).fork({ skills: ["b"] });
  await child.askForDependencies();
  expect(questions).toEqual([]);
});

describe("a value that a person gave for one skill", () => {
  const folder = (): string =>
    tree({
      "pay/SKILL.md": needs("pay", "PAY_TOKEN"),
      "other/SKILL.md": needs("other", "PAY_TOKEN"),
    });
  const asking = (): { questions: Question[]; ask: (question: Question) => Promise<Answer> } => {
    const questions: Question[] = [];
    const ask = async (question: Question): Promise<Answer> => {
      questions.push(question);
      return { choice: "provide", secrets: { PAY_TOKEN: `for ${question.skill}` } };
    };
    return { questions, ask };
  };

  test("does not reach the scripts of another that names the same variable, nor make it usable", async () => {
    const { ask } = asking();
    const runner = recordingRunner({ allow: ["other:scripts/main.sh"] });
    const session = await openSession(folder(), { ask, runner });
    await session.askForDependencies(["pay"]);
    expect(usableIn(session).map(({ name }) => name)).toEqual(["pay"]);
    await expect(session.activate("other")).rejects.toMatchObject({ code: "skill-not-found" });
    expect(runner.calls).toEqual([]);
  });

  test("is asked for again when the other one is used, and each keeps its own", async () => {
    const { ask, questions } = asking();
    const runner = runnerFor("pay", "other");
    const session = await openSession(folder(), { ask, runner });
    await session.askForDependencies(["pay"]);
    expect(await session.askForDependencies(["other"])).toEqual({ provided: ["PAY_TOKEN"], missing: [] });
    await session.askForDependencies();
    expect(questions.map(({ skill }) => skill)).toEqual(["pay", "other"]);
    expect(await scriptSecrets(session, runner, "pay")).toEqual({ PAY_TOKEN: "for pay" });
    expect(await scriptSecrets(session, runner, "other")).toEqual({ PAY_TOKEN: "for other" });
  });

  test("is for every skill that the question names", async () => {
    const { ask, questions } = asking();
    const runner = runnerFor("pay", "other");
    const session = await openSession(folder(), { ask, runner });
    await session.askForDependencies();
    expect(questions).toMatchObject([
      { skill: "other, pay", secrets: [{ name: "PAY_TOKEN", skills: ["other", "pay"] }] },
    ]);
    for (const name of ["pay", "other"])
      expect(await scriptSecrets(session, runner, name)).toEqual({ PAY_TOKEN: "for other, pay" });
  });

  test("that was not given for one is still missing for it", async () => {
    let choice = "provide";
    const ask = async (): Promise<Answer> => ({ choice, secrets: { PAY_TOKEN: "v" } });
    const session = await openSession(folder(), { ask });
    await session.askForDependencies(["pay"]);
    choice = "skip";
    expect(await session.askForDependencies()).toMatchObject({
      provided: ["PAY_TOKEN"],
      missing: [{ names: ["PAY_TOKEN"] }],
    });
  });
});

describe("a variable that a skill can do without", () => {
  const OPTIONAL = "    optional: true\n";
  const wants = (name: string, variables: string): string =>
    `---\nname: ${name}\ndescription: Does ${name}.\nrequired-environment-variables:\n${variables}---\nBody.\n`;
  const recording = (): { questions: Question[]; ask: (question: Question) => Promise<Answer> } => {
    const questions: Question[] = [];
    const ask = async (question: Question): Promise<Answer> => {
      questions.push(question);
      return { choice: "provide", secrets: { MORE: "m", TOKEN: "t" } };
    };
    return { questions, ask };
  };

  test("is asked for when the skill is named, and reaches its scripts", async () => {
    const { ask, questions } = recording();
    const folder = tree({ "a/SKILL.md": wants("a", `  - name: MORE\n${OPTIONAL}`) });
    const runner = runnerFor("a");
    const session = await openSession(folder, { ask, runner });
    expect(await session.askForDependencies()).toEqual({ provided: [], missing: [] });
    expect(await session.askForDependencies(["a"])).toEqual({ provided: ["MORE"], missing: [] });
    await session.askForDependencies(["a"]);
    expect(questions).toMatchObject([
      { skill: "a", reason: "Optional: MORE.", secrets: [{ name: "MORE", optional: true }] },
    ]);
    expect(await scriptSecrets(session, runner, "a")).toEqual({ MORE: "m" });
  });

  test("is asked for along with what the skill cannot do without, and is never missing", async () => {
    const { ask, questions } = recording();
    const folder = tree({ "a/SKILL.md": wants("a", `  - name: TOKEN\n  - name: MORE\n${OPTIONAL}`) });
    const session = await openSession(folder, { ask });
    expect(await session.askForDependencies()).toEqual({ provided: ["TOKEN", "MORE"], missing: [] });
    expect(questions.map(({ reason }) => reason)).toEqual(["Needed: TOKEN. Optional: MORE."]);
    const nobody = await openSession(folder, {});
    expect(await nobody.askForDependencies(["a"])).toMatchObject({ missing: [{ names: ["TOKEN"] }] });
  });

  test("is needed when another skill of the same question needs it", async () => {
    const { ask, questions } = recording();
    const folder = tree({
      "a/SKILL.md": wants("a", `  - name: MORE\n${OPTIONAL}`),
      "b/SKILL.md": wants("b", "  - name: MORE\n"),
    });
    await (await openSession(folder, { ask })).askForDependencies(["a", "b"]);
    expect(questions).toMatchObject([{ skill: "a, b", reason: "Needed: MORE." }]);
  });
});
