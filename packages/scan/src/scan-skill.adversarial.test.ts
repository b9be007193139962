import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { ALL_RULES } from "./rule/all-rules.ts";
import { scanSkill } from "./scan-skill.ts";

const SIZE = 60_000;

// What brings bad patterns and parsers to their knees: long runs, near misses, open brackets, deep nesting.
const UNITS: Readonly<Record<string, string>> = {
  letters: "a",
  blanks: " ",
  "line ends": "\n",
  words: "ignore all previous ",
  "open brackets": "[",
  "open parentheses": "(",
  "open braces": "{",
  "brace lists": "{a,",
  quotes: '"',
  backticks: "`",
  backslashes: "\\",
  stars: "*a_",
  "quote marks": "> ",
  "list nesting": "- ",
  pipes: "|a",
  substitutions: "$(",
  "comment openings": "<!--",
  elements: "<a ",
  "nested elements": "<div>",
  entities: "&#x",
  links: "[a](http://",
  images: "![",
  addresses: "http://a.test/",
  "base64 letters": "QUJD",
  hexadecimal: "\\x41",
  "character codes": "65,",
  "zero-width characters": "a\u200b",
  "tag characters": "\u{e0041}",
  "look-alike letters": "аa",
  "combining marks": "a\u0301",
  "arrow functions": "a=>",
  "string concatenation": '"a"+',
  "template literals": "`${",
  indentation: "if a:\n ",
  "here-documents": "<<A\n",
  assignments: "a=b;",
  "yaml nesting": "a:\n ",
  "json nesting": '{"a":',
  "almost a key": "sk-aaaaaaaaaaaaaaaa",
  "chinese prose": "忽略之前的所有指令",
};

const FILES = [
  "SKILL.md",
  "run.sh",
  "run.py",
  "run.ts",
  "data.json",
  "data.yaml",
  "data.toml",
  "page.html",
  "run.ps1",
  "notes",
];

describe("no input makes the scan go slow beyond measure", () => {
  test.each(Object.keys(UNITS))("%s", async (name) => {
    const unit = UNITS[name] ?? "";
    const bytes = Buffer.from(unit.repeat(Math.ceil(SIZE / unit.length)));
    for (const path of FILES) {
      const { verdict } = await scanSkill([{ path, mode: "644", bytes }]);
      expect(["safe", "caution", "dangerous"]).toContain(verdict);
    }
  });
});

test("every rule has what a person needs to know, under an id of its own", () => {
  const ids = ALL_RULES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title, explanation, remedy, owasp } of ALL_RULES) {
    expect(id).toMatch(/^[A-Z]{2}\d$/);
    expect([title, explanation, remedy].every((text) => text.length > 10)).toBe(true);
    expect(owasp.every((one) => /^(?:ASI|AST)(?:0[1-9]|10)$/.test(one)) && owasp.length > 0).toBe(true);
  }
});
