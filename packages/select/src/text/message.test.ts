import { expect, test } from "vitest";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { createMentionTest, findFiles, readMessage } from "./message.ts";

test("whatever is pasted, a bounded part of it is read, from its beginning and its end", () => {
  const paste = `first-words ${"lorem1 ipsum2 dolor3 ".repeat(50_000)} last-words`;
  const message = readMessage(paste);
  expect(message.text.length).toBeLessThanOrEqual(4_001);
  expect(message.terms).toContain("first");
  expect(message.terms).toContain("last");
});

test("ten thousand names become a bounded number of terms and grams", () => {
  const message = readMessage(
    Array.from({ length: 10_000 }, (_, index) => `n${index.toString(36)}x`).join(" "),
  );
  expect(message.terms.length).toBeLessThanOrEqual(64);
  expect(message.sequence.length).toBeLessThanOrEqual(800);
  expect(message.grams.length).toBeLessThanOrEqual(250);
});

test("ten thousand extensions become forty", () => {
  const { extensions } = readMessage(Array.from({ length: 10_000 }, (_, index) => `f.x${index}`).join(" "));
  expect(extensions).toHaveLength(40);
});

test("variables and prices are not words", () => {
  const { terms } = readMessage(["why is $PATH empty, and $", "{HOME}? it costs $12, says $alice"].join(""));
  for (const word of ["path", "home", "12"]) expect(terms).not.toContain(word);
  for (const word of ["why", "empt", "alic"]) expect(terms).toContain(word);
});

test("terms keep their order and are numbered once", () => {
  const { sequence, terms } = readMessage("Merge the PDFs, then merge the images");
  expect(sequence.map((term) => terms[term])).toEqual(["merg", "the", "pdf", "then", "merg", "the", "imag"]);
});

test("files and folders in a message are found as they stand there", () => {
  expect(findFiles('fix `src/app.tsx` and "./docs/a b/report.PDF", then packages/core/src.')).toEqual([
    "src/app.tsx",
    "b/report.PDF",
    "packages/core/src",
  ]);
  expect(findFiles("把report.pdf转成文字")).toEqual(["report.pdf"]);
  expect(findFiles("C:\\work\\main.rs")).toEqual(["work/main.rs"]);
});

test("addresses, sentences and choices are not files", () => {
  expect(findFiles("see https://example.com/a/b.html, and/or ask. Version 1.2.3 ... e.g. this")).toEqual([]);
});

test("a paste of any length gives twenty files at most", () => {
  expect(findFiles("a.b.c/".repeat(50_000))).toEqual([]);
  expect(findFiles(Array.from({ length: 100 }, (_, index) => `f${index}.md`).join(" ")).length).toBe(20);
});

const named = (name: string, text: string): boolean =>
  createMentionTest(text)(makeSkill(writeHeader(name, "Sends mail to all users.")));

test("a mark before the name, or the word skill after it, is a mention", () => {
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

test("a name in code or after a backslash is not a mention", () => {
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
