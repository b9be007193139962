import { describe, expect, test } from "vitest";
import { findCommands, MAX_CONTEXT_COMMANDS } from "./render-body.ts";

test.each<readonly [string, readonly string[]]>([
  ["!`git status`", ["git status"]],
  ["Branch: !`git branch` and\n!`pwd`", ["git branch", "pwd"]],
  ["```!\ngit log\ngit diff\n```", ["git log\ngit diff\n"]],
  ["x=!`no` format!`no` \\!`no`", []],
  ["```sh\n!`no`\n```\n    !`no`\n\t!`no`\n~~~\n!`no`\n~~~", []],
  ["!`` no ``, !, `!`", []],
])("%j asks for %j", (body, commands) => {
  expect(findCommands(body).map(({ command }) => command)).toEqual(commands);
});

test("a command's place is exactly what its output replaces", () => {
  const body = "Now: !`date`.\n";
  expect(findCommands(body).map(({ start, end }) => body.slice(start, end))).toEqual(["!`date`"]);
});

describe("examples in code are not commands", () => {
  test.each([
    ["a block inside a longer fence", "````md\n```!\nrm -rf x\n```\n````\n"],
    ["a block inside a fence of tildes", "~~~md\n```!\nrm -rf x\n```\n~~~\n"],
    ["a block in a list item", "- ```!\n  rm -rf x\n  ```\n"],
    ["a block that is not closed", "```!\nrm -rf x\n"],
    ["a code span that shows the syntax", "Write `` !`rm -rf x` `` to run it.\n"],
    ["a fence that begins in a list item", "- ```\n  !`rm -rf x`\n  ```\n"],
    ["code indented by blank and tab", "Text\n\n \t!`rm -rf x`\n"],
    ["a comment", "<!--\n!`rm -rf x`\n-->\n"],
    ["a span over two lines", "!`rm\n-rf x`\n"],
  ])("%s", (_, body) => {
    expect(findCommands(body)).toEqual([]);
  });
});

test("commands in list items, quotes, headings and between tags are found", () => {
  const body = "# On !`a`\n- !`b`\n  and !`c`\n> !`d`\n<context>\n!`e`\n</context>\n";
  expect(findCommands(body).map(({ command }) => command)).toEqual(["a", "b", "c", "d", "e"]);
});

test("line ends of another system do not hide a block, nor get into its command", () => {
  expect(findCommands("```!\r\ngit log\r\n```\r\nEnd.")).toEqual([
    { start: 0, end: 18, command: "git log\n" },
  ]);
});

test("a megabyte of commands is searched up to one more than are run, and one of code spans to its end", () => {
  expect(findCommands("!`a` ".repeat(200_000))).toHaveLength(MAX_CONTEXT_COMMANDS + 1);
  expect(findCommands("`!` ".repeat(250_000))).toEqual([]);
  expect(findCommands(`${"x ".repeat(400_000)} !\`a\``)).toHaveLength(1);
});
