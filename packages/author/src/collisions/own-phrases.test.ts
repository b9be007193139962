import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { phrasesOf } from "./find-collisions.ts";

const texts = (...given: Parameters<typeof phrasesOf>): unknown =>
  phrasesOf(...given).map(({ text, source }) => [source, text]);

test("quoted phrases, keywords and sentences of when_to_use are a skill's own, each once", () => {
  const skill = makeSkill("forms", 'Fills forms. Use when the user says "fill it in" or "complete this".', [
    'when_to_use: "Use when the user asks to sign a form. Say “fill it in”. Do NOT use for taxes."',
    "triggers: { keywords: [acroform] }",
  ]);
  expect(texts(skill)).toEqual([
    ["phrase", "fill it in"],
    ["phrase", "complete this"],
    ["keyword", "acroform"],
    ["when-to-use", "sign a form."],
    ["when-to-use", "Say “fill it in”."],
  ]);
});

test("a skill that claims little speaks through its description", () => {
  expect(texts(makeSkill("forms", "Fills forms. Use this skill for AcroForm files."))).toEqual([
    ["description", "Fills forms."],
    ["description", "AcroForm files."],
  ]);
});

test("what says nothing, and a single word in quotes, is not a message", () => {
  const skill = makeSkill(
    "forms",
    'Calls it "robust" or "the", or ", or", and for "tax forms", "sign here" and "add it up".',
  );
  expect(texts(skill)).toEqual([
    ["phrase", "tax forms"],
    ["phrase", "sign here"],
    ["phrase", "add it up"],
  ]);
});
