import { describe, expect, test } from "vitest";
import { isSubstantive, readConversation } from "./catalog-for.ts";

describe("whether a message says what is wanted", () => {
  test.each([
    "ok",
    "OK!",
    "Yes, please.",
    "continue",
    "go on",
    "looks good, thanks",
    "LGTM 👍",
    "",
    "  \n ",
    "...",
    "ja, mach weiter",
    "d'accord",
    "好的，继续",
    "はい",
    "계속",
    "да",
  ])("not: %j", (text) => {
    expect(isSubstantive(text)).toBe(false);
  });

  test.each([
    "fix it",
    "pdf",
    "deploy",
    "no, use the pdf skill",
    "把这个翻译成英文",
    "continue with the tests",
    "x".repeat(100),
  ])("yes: %j", (text) => {
    expect(isSubstantive(text)).toBe(true);
  });

  test("a megabyte of anything is looked at in part", () => {
    expect(isSubstantive(" ".repeat(1_000_000))).toBe(false);
    expect(isSubstantive("ok ".repeat(300_000))).toBe(true);
  });
});

test("the current request and two earlier ones count, the newest most", () => {
  const messages = ["first", "second task", "third task", "fourth task"];
  expect(readConversation(messages)).toEqual([
    { text: "fourth task", weight: 1 },
    { text: "third task", weight: 0.6 },
    { text: "second task", weight: 0.36 },
  ]);
});

test("a yes leaves what it answers to as it was", () => {
  expect(readConversation(["merge the files", "ok", "continue"])).toEqual([
    { text: "merge the files", weight: 1 },
  ]);
  expect(readConversation(["ok"])).toEqual([]);
  expect(readConversation([])).toEqual([]);
});

test("nobody looks back for ever", () => {
  expect(readConversation(["merge the files", ...Array.from({ length: 60 }, () => "ok")])).toEqual([]);
});
