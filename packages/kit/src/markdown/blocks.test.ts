import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownBlocks } from "./blocks.ts";
import { codeRanges } from "./code-spans.ts";

/** The text with `#` for every character that is code. */
function marked(text: string): string {
  const characters = text.split("");
  for (const { start, end } of codeRanges(text))
    for (let at = start; at < end; at++) if (characters[at] !== "\n") characters[at] = "#";
  return characters.join("");
}

describe("what is code", () => {
  test.each([
    ["a fence", "a\n```sh\nb\n```\nc", "a\n#####\n#\n###\nc"],
    ["a fence in a longer one", "````md\n```\nb\n```\n````\nc", "######\n###\n#\n###\n####\nc"],
    ["a fence of tildes around one of ticks", "~~~\n```\n~~~\nc", "###\n###\n###\nc"],
    ["a fence in a list item", "- ```\n  b\n  ```\n- c", "- ###\n###\n#####\n- c"],
    ["a fence that its list item ends", "- ```\n  b\n\nc", "- ###\n###\n\nc"],
    ["a fence in a quote", "> ```\n> b\n\nc", "> ###\n###\n\nc"],
    ["indentation by spaces and tabs", "a\n\n    b\n \tb\n\nc", "a\n\n#####\n###\n\nc"],
    ["indentation in a list item", "- a\n\n      b\n\n  c", "- a\n\n  #####\n\n  c"],
    ["indentation after an empty list item", "-\n\n  b\n\n    c", "-\n\n  b\n\n#####"],
    ["indented code after a list mark", "-     b\n- c", "- #####\n- c"],
    [
      "a comment and preformatted markup",
      "<!-- b\nb -->\nc\n<pre>\nb\n</pre>\nc",
      "######\n#####\nc\n#####\n#\n######\nc",
    ],
    [
      "a fence between tags",
      "<context>\n```\nb\n```\nc\n</context>",
      "<context>\n###\n#\n###\nc\n</context>",
    ],
    ["an open fence", "a\n```\nb\n\nb", "a\n###\n#\n\n#"],
    ["spans over lines of one paragraph", "a `b\nb` c", "a ##\n## c"],
  ])("%s", (_, text, expected) => {
    expect(marked(text)).toBe(expected);
  });
});

describe("what is not", () => {
  test.each([
    ["an indented line that goes on with a paragraph", "a\n    b"],
    ["a lone backtick before another paragraph", "a ` b\n\nc ` d"],
    ["an escaped backtick", "a \\` b ` c"],
    ["ticks of different lengths", "a `` b ` c"],
    ["a paragraph that goes on without the mark of its quote", "> a\n    b"],
    ["a backtick in a heading and one below", "# a `\nb `"],
  ])("%s", (_, text) => {
    expect(codeRanges(text)).toEqual([]);
  });
});

test("line ends of every kind are line ends", () => {
  expect(codeRanges("a\r```\rb\r```\rc")).toEqual([{ start: 2, end: 11 }]);
  expect(markdownBlocks("a\r\n\r\n    b\r\n").map(({ kind }) => kind)).toEqual(["paragraph", "code"]);
});

test("whatever the text, blocks are in order and never overlap", () => {
  const piece = fc.constantFrom(
    "`",
    "```",
    "\n",
    "\r\n",
    "~~~",
    "> ",
    "- ",
    "1. ",
    "    ",
    "\t",
    "a",
    "\\",
    "#",
    "<!--",
    "-->",
    "---",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      let done = 0;
      for (const block of markdownBlocks(text))
        for (const { start, end } of block.kind === "code" || block.kind === "html" ? [block] : block.lines) {
          expect(start).toBeGreaterThanOrEqual(done);
          expect(end).toBeGreaterThanOrEqual(start);
          done = end;
        }
      expect(done).toBeLessThanOrEqual(text.length);
    }),
  );
});

test.each([
  ["backslashes", "\\"],
  ["quotes in quotes", ">"],
  ["lists in lists", "- "],
  ["blank lines in a deep list", `${"- ".repeat(1000)}\n\n`],
  ["backticks with backslashes", "\\`"],
  ["spans", "`a` "],
  ["tabs", "\t"],
])("a megabyte of %s is read in one pass", (_, piece) => {
  const text = piece.repeat(1_000_000 / piece.length);
  expect(codeRanges(text).every(({ start, end }) => start < end)).toBe(true);
});
