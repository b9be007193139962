import { describe, expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { adviseAuthor } from "./advise-author.ts";

const SKILL = makeSkill("pdf-forms", "Fill in PDF forms. Do not use for merging files.");
const missed = (query: string): string | undefined => adviseAuthor(SKILL, { query, shouldTrigger: true });
const called = (query: string, ...reasons: readonly string[]): string | undefined =>
  adviseAuthor(SKILL, { query, shouldTrigger: false }, reasons);

describe("advice on a message that missed the skill", () => {
  test("names the words that the header lacks", () => {
    expect(missed("complete the PDF declaration")).toBe(
      'the description and when_to_use lack "complete", "declaration": say so, if the skill is for that',
    );
  });

  test("leaves out versions, moments and everyday words, which no header would name", () => {
    expect(missed("sign the PDF of v2.3 with everything tonight, or soon")).toBe(
      'the description and when_to_use lack "sign": say so, if the skill is for that',
    );
    expect(missed("fill forms without anything else tonight")).toMatch(/^say when to use the skill/);
  });

  test("says so where all words are there", () => {
    expect(missed("fill forms")).toMatch(/^its words are in the header already/);
  });

  test("does not call a word missing that stands among what it is not for", () => {
    expect(missed("merge files")).toMatch(/^it speaks of "merge", "files" only where it says what it is not/);
  });

  test.each(["x", "?", "", "the"])("is none where the message says nothing: %j", (query) => {
    expect(missed(query)).toBeUndefined();
  });
});

describe("advice on a message that called the skill wrongly", () => {
  test("names what both say, and of a file name only that part", () => {
    expect(called("read scan.pdf aloud")).toMatch(/^its own text says "pdf" too/);
  });

  test("blames paths and patterns where they called it", () => {
    expect(called("open scan.pdf", 'words "pdf"', "a file of the message fits its paths")).toMatch(
      /^its paths fit a file of the message/,
    );
    expect(called("open scan.pdf", "pattern `scan` in triggers")).toBe(
      "the pattern `scan` in triggers matches it: narrow that",
    );
  });

  test("is none where the message names the skill, or it is unknown what called it", () => {
    expect(called("/pdf-forms hello", 'mentioned as "pdf-forms"')).toBeUndefined();
    expect(called("bake bread")).toBeUndefined();
    expect(called("bake bread", "words of its instructions")).toMatch(/^nothing in the description/);
  });
});
