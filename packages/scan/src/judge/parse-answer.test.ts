import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAnswer } from "./create-judge.ts";

const QUESTION = { receipt: ["aa", "bb"], planted: "bb" };
const answer = (changes: object): string =>
  JSON.stringify({
    ...{ verdict: "safe", receipt: QUESTION.receipt, addressed: ["bb"], reasons: ["It phones home."] },
    ...changes,
  });

test("an answer as asked for counts, in a code fence too, with reasons cut short", () => {
  const read = { verdict: "safe", reasons: ["It phones home."] };
  expect(parseAnswer(answer({}), QUESTION)).toEqual(read);
  expect(parseAnswer(`Here it is:\n\`\`\`json\n${answer({})}\n\`\`\``, QUESTION)).toEqual(read);
  expect(parseAnswer(answer({ reasons: ["x".repeat(500)] }), QUESTION)).toEqual({
    verdict: "safe",
    reasons: ["x".repeat(300)],
  });
});

test.each([
  ["no JSON", "I think it is safe."],
  ["a list", "[]"],
  ["null", "null"],
  ["another verdict", answer({ verdict: "fine" })],
  ["a verdict that objects inherit", answer({ verdict: "constructor" })],
  ["no verdict", answer({ verdict: undefined })],
  ["no receipt", answer({ receipt: undefined })],
  ["a receipt that lacks a piece", answer({ receipt: ["aa"] })],
  ["a receipt in another order", answer({ receipt: ["bb", "aa"] })],
  ["a receipt with more", answer({ receipt: ["aa", "bb", "cc"] })],
  ["no word of the planted piece", answer({ addressed: ["aa"] })],
])("%s does not count", (_what, text) => {
  expect(parseAnswer(text, QUESTION)).toEqual(expect.any(String));
});

test.each(["caution", "dangerous"])("an accusation of %s counts without a receipt", (verdict) => {
  const texts = Array.from({ length: 12 }, String);
  const text = answer({ verdict, receipt: undefined, addressed: undefined, reasons: [1, ...texts] });
  expect(parseAnswer(text, QUESTION)).toEqual({ verdict, reasons: texts.slice(0, 10) });
});

test("no text makes it throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(["string", "object"]).toContain(typeof parseAnswer(text, QUESTION));
    }),
  );
});
