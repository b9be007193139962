import { join } from "node:path";
import { expect, test } from "vitest";
import type { Answer, Question } from "../ask.ts";
import { temporaryDirectory } from "../files/testing/temporary-directory.ts";
import { writeTree } from "../testing/write-tree.ts";
import { openSession } from "./testing/open-session.ts";

function needs(name: string, variable: string, header = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header}required-environment-variables:\n  - name: ${variable}\n---\nBody.\n`;
}

function tree(files: Record<string, string>): string {
  return writeTree(join(temporaryDirectory(), "skills"), files);
}

test("a variable called like a property of every object is not given by an empty answer", async () => {
  const folder = tree({ "a/SKILL.md": needs("a", "constructor") });
  const session = await openSession(folder, { ask: async () => ({ choice: "provide", secrets: {} }) });
  expect((await session.askForDependencies()).provided).toEqual([]);
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
