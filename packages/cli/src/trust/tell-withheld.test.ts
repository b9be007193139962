import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import type { JudgedSkill } from "./judge-folder.ts";
import { trustQuestion } from "./tell-withheld.ts";

const judged = (known: Partial<JudgedSkill>): JudgedSkill => ({
  skill: makeSkill({}),
  verdict: "safe",
  findings: [],
  ...known,
});
const APPROVED = judged({ verdict: "dangerous", approved: true });
const CAUTION = judged({ verdict: "caution" });
const WITHHELD = judged({ verdict: "dangerous", withheld: "EX1 at SKILL.md:8" });

test.each([
  [[judged({})], "Trust this folder?"],
  [[CAUTION], "1 skill asks for caution. Trust this folder all the same?"],
  [[APPROVED], "1 skill is dangerous and was approved earlier. Trust this folder all the same?"],
  [
    [WITHHELD, APPROVED, APPROVED, CAUTION],
    "1 skill stays withheld, 2 skills are dangerous and were approved earlier, 1 skill asks for caution. Trust this folder all the same?",
  ],
])("the question says what speaks against the folder (%#)", (skills, question) => {
  expect(trustQuestion(skills)).toBe(question);
});
