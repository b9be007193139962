import { expect, test } from "vitest";
import { findOrder } from "./find-order.ts";

test.each([
  ["please write unit tests for this function", "write", "tests", ["unit"]],
  ["how do I revert a commit?", "revert", "commit", []],
  ["turn off the lights in the kitchen", "turn", "lights", []],
  ["Could you send a message to the team", "send", "message", []],
  ["design a landing page. It is for a bakery", "design", "page", ["landing"]],
])("%s", (text, verb, object, modifiers) => {
  expect(findOrder(text)).toMatchObject({ verb, object, modifiers });
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

test.each([
  ["convert the sales report to a table", ["table"]],
  ["turn notes.md into a pdf with a cover", ["pdf"]],
  ["add the site to my project", []],
])("%s says what is to be made", (text, results) => {
  expect(findOrder(text)?.results).toEqual(results);
});
