import { expect, test } from "vitest";
import { findChanges, findOrder } from "./find-order.ts";

test.each([
  ["please write unit tests for this function", "write", "tests", ["unit"]],
  ["how do I revert a commit?", "revert", "commit", []],
  ["turn off the lights in the kitchen", "turn", "lights", []],
  ["Could you send a message to the team", "send", "message", []],
  ["design a landing page. It is for a bakery", "design", "page", ["landing"]],
])("%s", (text, verb, object, modifiers) => {
  expect(findOrder(text)).toEqual({ verb, object, modifiers });
});

test.each([
  "",
  "what tables does the database have",
  "my tests fail since yesterday",
  "do it",
  "write",
  "日本語のメールを書いて",
  "compare red green blue yellow black shirts",
])("%s is not such an order", (text) => {
  expect(findOrder(text)).toBeUndefined();
});

const changesIn = (words: readonly string[]): ReturnType<typeof findChanges<string>> =>
  findChanges(words, (word) => ["to", "from"].find((one) => one === word));

test("what is to be made into what is the same in either order of words", () => {
  const change = [{ from: "word", to: "pdf" }];
  expect([changesIn(["word", "to", "pdf"]), changesIn(["pdf", "from", "word"])]).toEqual([change, change]);
});

test("words that a skill repeats are not each compared with each", () => {
  const words = [...Array(500).fill("word"), "to", ...Array(500).fill("pdf")];
  expect(changesIn(words)).toHaveLength(64);
});
