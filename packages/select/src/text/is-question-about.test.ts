import { expect, test } from "vitest";
import { isQuestionAbout } from "./is-question-about.ts";

test.each([
  "what are webhooks good for?",
  "Why do spreadsheets round numbers",
  "so, how does double-entry bookkeeping work?",
  "Was ist eigentlich ein Container?",
  "什么是容器？",
])("a message that only asks about a thing: %s", (message) => {
  expect(isQuestionAbout(message)).toBe(true);
});

test.each([
  "what is wrong with my spreadsheet?",
  "how do I merge these files",
  "What is in report.pdf?",
  "What are webhooks? Add one to the shop.",
  "merge the invoices",
  "can you clean this table",
  "Was steht in meinem Kalender?",
  "what's the forecast for Oslo tomorrow",
  "Wie voll ist der Speicher heute?",
  "",
])("one that wants something done, or speaks of something at hand: %s", (message) => {
  expect(isQuestionAbout(message)).toBe(false);
});
