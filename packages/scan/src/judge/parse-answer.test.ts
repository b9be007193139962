import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAnswer } from "./open-ai-judge.ts";

const RECEIPT = ["aa", "bb"];
const answer = (changes: object): string =>
  JSON.stringify({ verdict: "safe", receipt: RECEIPT, reasons: ["It phones home."], ...changes });

test("an answer that is exactly as asked for counts, with reasons cut short", () => {
  expect(parseAnswer(answer({}), RECEIPT)).toEqual({ verdict: "safe", reasons: ["It phones home."] });
  expect(parseAnswer(answer({ reasons: ["x".repeat(500)] }), RECEIPT)).toEqual({
    verdict: "safe",
    reasons: ["x".repeat(300)],
  });
});

test.each([
  ["no JSON", "I think it is safe."],
  ["JSON in a fence", `\`\`\`json\n${answer({})}\n\`\`\``],
  ["a list", "[]"],
  ["null", "null"],
  ["another verdict", answer({ verdict: "fine" })],
  ["a verdict that objects inherit", answer({ verdict: "constructor" })],
  ["no verdict", answer({ verdict: undefined })],
  ["no receipt", answer({ receipt: undefined })],
  ["a receipt that lacks a file", answer({ receipt: ["aa"] })],
  ["a receipt in another order", answer({ receipt: ["bb", "aa"] })],
  ["a receipt with more", answer({ receipt: ["aa", "bb", "cc"] })],
  ["no reasons", answer({ reasons: undefined })],
  ["reasons that are no texts", answer({ reasons: [1] })],
  ["a key that was not asked for", answer({ override: true })],
])("%s does not count", (_what, text) => {
  expect(parseAnswer(text, RECEIPT)).toEqual(expect.any(String));
});

test.each(["caution", "dangerous"])("a word of %s counts without a receipt, and with any form", (verdict) => {
  const texts = Array.from({ length: 12 }, String);
  const text = answer({ verdict, receipt: undefined, reasons: [1, ...texts], override: true });
  expect(parseAnswer(text, RECEIPT)).toEqual({ verdict, reasons: texts.slice(0, 10) });
});

test("no text makes it throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(["string", "object"]).toContain(typeof parseAnswer(text, RECEIPT));
    }),
  );
});
