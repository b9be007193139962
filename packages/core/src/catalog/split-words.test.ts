import { expect, test } from "vitest";
import { splitWords, stemWord } from "./split-words.ts";

test("words are split at everything that is no letter or digit, and at humps", () => {
  expect(splitWords("Use readFile (v2), e.g. my_skill-name!")).toEqual(
    "use read file v2 e g my skill name".split(" "),
  );
  expect(splitWords("größerÄrger ﬁle")).toEqual(["größer", "ärger", "file"]);
  expect(splitWords("...")).toEqual([]);
});

test("scripts without spaces are split into pairs of characters", () => {
  expect(splitWords("填写表格 PDF")).toEqual(["填写", "写表", "表格", "pdf"]);
  expect(splitWords("表")).toEqual(["表"]);
});

test.each([
  ["form", "forms", "formed", "forming"],
  ["merge", "merges", "merged", "merging"],
  ["run", "runs", "running"],
  ["meeting", "meetings", "meet"],
  ["entry", "entries"],
  ["process", "processes", "processing"],
])("%s has one stem with its forms", (...words) => {
  expect(new Set(words.map(stemWord)).size).toBe(1);
});

test("short words stay as they are", () => {
  expect(["is", "use", "bed", "ring"].map(stemWord)).toEqual(["is", "use", "bed", "ring"]);
});
