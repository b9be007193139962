import type { Skill } from "@skillet/core";
import { expect, test } from "vitest";
import { makeSkill, OTHERS } from "../testing/make-skill.ts";
import { createSkillDesk } from "./skill-desk.ts";

const SKILL = makeSkill("pdf-forms", "Fill in PDF forms.");
const MANY = Array.from({ length: 40 }, (_, index) => makeSkill(`skill-${index}`, "Does this and that."));

function openDesk(skills: readonly Skill[]) {
  const read: string[] = [];
  const desk = createSkillDesk(SKILL, [SKILL, ...skills], ({ name }) => {
    read.push(name);
    return `# ${name}`;
  });
  const answer = (name: string, given: object) => desk.answer({ name, arguments: JSON.stringify(given) });
  return { answer, read };
}

const numbered = (texts: readonly string[]): object =>
  Object.fromEntries(texts.map((text, index) => [`p${index}`, text]));

test("whatever a call repeats is read once", async () => {
  const { answer, read } = openDesk(OTHERS);
  const path = OTHERS[0]?.path ?? "";
  await answer("read_file", numbered(Array.from({ length: 2_000 }, () => path)));
  expect(read).toEqual(["spreadsheets"]);
  await answer("run_command", { command: `cat ${path}; cat ${path}`, again: `cat ${path} ` });
  expect(read).toEqual(["spreadsheets", "spreadsheets"]);
});

test.each([
  ["read_file", numbered(MANY.map(({ path }) => path))],
  ["run_command", { command: MANY.map(({ path }) => `cat ${path}`).join("; ") }],
])("one call of %s loads no more than eight skills", async (name, given) => {
  const { answer, read } = openDesk(MANY);
  const { loaded } = await answer(name, given);
  expect(loaded).toHaveLength(8);
  expect(read).toHaveLength(8);
});
