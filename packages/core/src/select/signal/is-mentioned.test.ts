import { expect, test } from "vitest";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { isMentioned } from "./is-mentioned.ts";

const skill = makeSkill(writeHeader("review", "Reviews."));

test("a mark before the name, or the word skill behind it, is a mention", () => {
  for (const text of ["$review this", "please /review", "(@review)", "use the review skill"])
    expect(isMentioned(skill, text), text).toBe(true);
});

test("the name as a word, in a path or in another name is none", () => {
  for (const text of ["review this", "see docs/review", "$review-all", "/reviewer", "a preview skill"])
    expect(isMentioned(skill, text), text).toBe(false);
});
