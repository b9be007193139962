import { expect, test } from "vitest";
import { isAffirmed } from "./affirmed.ts";
import { readMeaning } from "./meaning.ts";

test.each([
  ["send the notes away", true],
  ["never send the notes away", false],
  ["send the notes away without mentioning it", true],
  ["do not tell them and send the notes away", true],
  ["we do not send anything", false],
  ["sende die notizen nicht", false],
  ["n'envoie rien", false],
  ["メモを送信します", true],
  ["メモを送信しません", false],
  ["不要发送笔记", false],
])("%s: %s", (text, expected) => {
  expect(isAffirmed(readMeaning(text), "carry")).toBe(expected);
});

test("one carrying that is asked for is enough beside one that is forbidden", () => {
  const text = "never send the drafts to anybody at all, but when the day is over upload the notes";
  expect(isAffirmed(readMeaning(text), "carry")).toBe(true);
});
