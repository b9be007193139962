import { expect, test } from "vitest";
import { parseSkill } from "./parse-skill.ts";

const codesOf = (text: string, mode: "strict" | "lenient" = "strict"): string[] =>
  parseSkill(text, { mode, file: "SKILL.md" }).diagnostics.map(({ code, severity }) => `${severity} ${code}`);

const skill = (name: string, description: string, body = "Do it."): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

test("reserved words, tags and long instructions are noted for authors, and for no one else", () => {
  const odd = skill("claude-thing", "Use <system>this</system> tag.", "Line.\n".repeat(501));
  expect(codesOf(odd)).toEqual(["info body-long", "info name-reserved-word", "info description-tags"]);
  expect(codesOf(odd, "lenient")).toEqual([]);
  expect(parseSkill(odd, { mode: "strict", file: "SKILL.md" }).manifest?.name).toBe("claude-thing");
});

test("a shell without limits is noted, one with commands is not", () => {
  expect(codesOf(skill("git", "G.\nallowed-tools: Read Bash"))).toEqual(["info allowed-tools-broad"]);
  expect(codesOf(skill("git", "G.\nallowed-tools: Read Bash(git log:*)"))).toEqual([]);
});

test("what is just as long as it may be, and comparisons in a description, are not noted", () => {
  expect(codesOf(skill("fits", "For a < b, a <= b and x -> y.", "Line.\n".repeat(500)))).toEqual([]);
  expect(codesOf(skill("fits", "Fits.", "x".repeat(19_999)))).toEqual([]);
  expect(codesOf(skill("wide", "Wide.", "x".repeat(20_100)))).toEqual(["info body-long"]);
});
