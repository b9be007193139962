import fc from "fast-check";
import { expect, test } from "vitest";
import { splitWords, stemWord } from "./words.ts";

test("identifiers come in parts and whole", () => {
  expect(splitWords("fooBar XMLParser snake_case kebab-case v2")).toEqual([
    "foo",
    "bar",
    "foobar",
    "xml",
    "parser",
    "xmlparser",
    "snake",
    "case",
    "kebab",
    "case",
    "v2",
  ]);
});

test("accents do not matter on Latin letters, and full-width forms are plain ones", () => {
  expect(splitWords("Configuração ＰＤＦ naïve")).toEqual(["configuracao", "pdf", "naive"]);
});

test("scripts without spaces come in pairs of characters, with Latin names as words between them", () => {
  expect(splitWords("把PDF合并成一个")).toEqual(["把", "pdf", "合并", "并成", "成一", "一个"]);
  expect(splitWords("번역해줘")).toEqual(["번역", "역해", "해줘"]);
});

test("other scripts keep their letters and marks", () => {
  expect(splitWords("Переведи текст, пожалуйста")).toEqual(["переведи", "текст", "пожалуйста"]);
  expect(splitWords("ترجم النص")).toEqual(["ترجم", "النص"]);
});

test("control characters and punctuation are no words", () => {
  expect(splitWords("\u0000\u001b[31m — \u202e!?")).toEqual(["31m"]);
});

test("forms of a word come to one stem", () => {
  const same = (...words: string[]): void =>
    expect(new Set(words.map(stemWord)).size, words.join(" ")).toBe(1);
  same("generate", "generates", "generated", "generator", "generating", "generation");
  same("configure", "configuring", "configuration", "configurations");
  same("test", "tests", "tested", "testing");
  same("deploy", "deploys", "deploying", "deployment");
  same("use", "uses");
  same("cookie", "cookies");
  same("movie", "movies");
  same("reply", "replies", "replying");
  same("create", "creates", "created", "creating", "creation");
  same("update", "updates", "updated", "updating");
  same("note", "notes", "noted", "noting");
  same("code", "codes", "coding", "coder");
  same("plan", "plans", "planned", "planning");
  same("copy", "copies", "copying");
});

test("words of different meaning keep different stems", () => {
  for (const [left, right] of [
    ["process", "procure"],
    ["status", "state"],
    ["notion", "notes"],
    ["notes", "not"],
    ["plane", "plan"],
    ["rate", "rat"],
    ["care", "car"],
    ["pdf", "pd"],
    ["gpt4", "gpt3"],
    ["bees", "be"],
    ["offers", "off"],
    ["letters", "let"],
    ["does", "do"],
  ])
    expect(stemWord(left!)).not.toBe(stemWord(right!));
});

test("no word is stemmed to fewer than three letters", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{3,20}$/), (word) => {
      expect(stemWord(word).length).toBeGreaterThanOrEqual(3);
    }),
  );
  for (const word of ["bees", "does", "goes", "sees", "uses", "ties"]) expect(stemWord(word).length).toBe(3);
});

test("a stem is never empty and never longer than its word", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9а-я]{1,20}$/), (word) => {
      const stem = stemWord(word);
      expect(stem.length).toBeGreaterThan(0);
      expect(stem.length).toBeLessThanOrEqual(word.length);
    }),
  );
});
