import { expect, test } from "vitest";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { createMentionTest } from "./create-mention-test.ts";

const named = (name: string, text: string): boolean =>
  createMentionTest(text)(makeSkill(writeHeader(name, "Sends mail to everybody.")));

test("a mark before the name, or the word skill behind it, is a mention", () => {
  for (const text of ["$review this", "please /review", "use the review skill", "The Review skill, please"])
    expect(named("review", text), text).toBe(true);
  expect(named("pdf", "[$pdf](/skills/pdf/SKILL.md) it")).toBe(true);
  expect(named("a-b", "try the a-b skill")).toBe(true);
});

test("the name as a word, in a path or in another name is none", () => {
  for (const text of [
    "review this",
    "see docs/review",
    "$review-all",
    "/reviewer",
    "a preview skill",
    "the code-review skill",
    "my review skills",
    "mail it to @review",
  ])
    expect(named("review", text), text).toBe(false);
});

test.each([
  ["path", "why does echo $PATH print nothing"],
  ["home", "cd to $HOME and list"],
  ["home", "cd to $home and list"],
  ["1", "it costs $1 a month"],
  ["types", "bump @types to the latest"],
  ["this", "please review this skill for me"],
  ["a", "I want to learn a skill such as cooking"],
  ["which", "which skill is best for charts?"],
  ["best", "what is the best skill for it"],
  ["pdf", "is there a pdf skill?"],
])('a skill named %s is not called by "%s"', (name, text) => {
  expect(named(name, text)).toBe(false);
});

test("what stands in code or behind a backslash is none", () => {
  for (const text of [
    "run `$deploy`",
    "```\n/deploy\n```",
    "\\$deploy",
    "print `the deploy skill` to the log",
  ])
    expect(named("deploy", text), text).toBe(false);
});

test("of skills with one name, a qualified name calls the one it names", () => {
  const text = writeHeader("deploy", "Deploys.");
  const isMentioned = createMentionTest("please $kit:deploy");
  expect(isMentioned(makeSkill(text, { qualifiedName: "kit:deploy" }))).toBe(true);
  expect(isMentioned(makeSkill(text, { qualifiedName: "other:deploy" }))).toBe(false);
});
