import fc from "fast-check";
import { expect, test } from "vitest";
import { stemWord } from "./stem-word.ts";

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
  same("reply", "replies");
});

test("words of different meaning keep different stems", () => {
  for (const [left, right] of [
    ["process", "procure"],
    ["status", "state"],
    ["pdf", "pd"],
    ["gpt4", "gpt3"],
    ["bees", "be"],
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
