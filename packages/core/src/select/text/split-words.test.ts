import { expect, test } from "vitest";
import { splitWords } from "./split-words.ts";

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
