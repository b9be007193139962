// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the tokens that skills are written with
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitArguments, substituteArguments } from "./substitute-arguments.ts";

const ARGUMENTS = '"big file" v2';
const variables = {
  CLAUDE_SESSION_ID: "s-1",
  CLAUDE_SKILL_DIR: "/skills/pdf",
  CLAUDE_PROJECT_DIR: "/project",
  HERMES_SKILL_DIR: "/skills/pdf",
  baseDir: "/skills/pdf",
};

function substitute(text: string, given: string | undefined = ARGUMENTS, names: readonly string[] = []) {
  return substituteArguments(text, { ...(given !== undefined && { arguments: given }), names, variables });
}

const TOKENS: readonly (readonly [string, string, (readonly string[])?])[] = [
  ["$ARGUMENTS", '"big file" v2'],
  ["${ARGUMENTS}", '"big file" v2'],
  ["$ARGUMENTS[0]|$ARGUMENTS[1]", "big file|v2"],
  ["[$0|$1]", "[big file|v2]"],
  ["$1-x $1.", "v2-x v2."],
  ["[$7] $ARGUMENTS[7]", "[$7] $ARGUMENTS[7]"],
  ["$file and $version", "big file and v2", ["file", "version"]],
  ["<$third>", "<>", ["file", "version", "third"]],
  ["$file-name|$file", "v2|big file", ["file", "file-name"]],
  ["$files", "$files", ["file"]],
  ["$word $PATH ${HOME}", "$word $PATH ${HOME}"],
  ["$ARGUMENTSX $1st", "$ARGUMENTSX $1st"],
  ["${CLAUDE_SESSION_ID} ${CLAUDE_SKILL_DIR}/x", "s-1 /skills/pdf/x"],
  ["${CLAUDE_PROJECT_DIR} {baseDir}/y ${HERMES_SKILL_DIR}", "/project /skills/pdf/y /skills/pdf"],
  ["${CLAUDE_EFFORT} ${constructor} {baseDirectory}", "${CLAUDE_EFFORT} ${constructor} {baseDirectory}"],
];

describe("each token", () => {
  for (const [text, expected, names] of TOKENS)
    test(`${text} is ${expected}`, () => {
      expect(substitute(text, ARGUMENTS, names).text).toBe(expected);
    });
});

describe("a backslash", () => {
  test.each([
    ["Fee \\$5", "Fee $5"],
    ["\\$ARGUMENTS \\$ARGUMENTS[0] \\$file \\${ARGUMENTS}", "$ARGUMENTS $ARGUMENTS[0] $file ${ARGUMENTS}"],
    ["\\$other", "\\$other"],
    ["\\\\$1", "\\\\v2"],
    ["\\\\\\$1", "\\\\$1"],
  ])("in %s gives %s", (text, expected) => {
    expect(substitute(text, ARGUMENTS, ["file"])).toEqual({
      text: expected,
      usesArguments: text.startsWith("\\\\$"),
    });
  });
});

test("without arguments, prices and awk stay as they are, and declared names are empty", () => {
  const text = "It costs $5; awk '{print $1}'; <$file> <$ARGUMENTS> ${CLAUDE_SKILL_DIR}";
  expect(substituteArguments(text, { names: ["file"], variables }).text).toBe(
    "It costs $5; awk '{print $1}'; <> <> /skills/pdf",
  );
});

test("a value is never replaced again", () => {
  expect(substitute("$0 $ARGUMENTS", "$1 ${CLAUDE_SKILL_DIR}").text).toBe("$1 $1 ${CLAUDE_SKILL_DIR}");
});

test("a token whose argument was not given is no place for the arguments", () => {
  expect(substitute("Price $5, <$third>", ARGUMENTS, ["a", "b", "third"])).toEqual({
    text: "Price $5, <>",
    usesArguments: false,
  });
});

test("a short text that names long arguments again and again is refused", () => {
  expect(() => substitute("$ARGUMENTS".repeat(1000), "x".repeat(10_000))).toThrow(
    expect.objectContaining({ code: "rendered-too-long" }),
  );
});

test("whatever the text, nothing but tokens changes, and nothing throws", () => {
  const piece = fc.constantFrom(
    "$",
    "\\",
    "{baseDir}",
    "ARGUMENTS",
    "[0]",
    "1",
    "a",
    "-",
    "${",
    "}",
    " ",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      const plain = text.replaceAll("$", "").replaceAll("{baseDir}", "");
      expect(substitute(plain).text).toBe(plain);
      expect(typeof substitute(text).text).toBe("string");
    }),
  );
});

test("a megabyte of dollar signs and backslashes is done in one pass", () => {
  const text = "\\$".repeat(400_000);
  expect(substitute(text, "x", ["a"]).text).toBe(text);
});

test.each<readonly [string, readonly string[]]>([
  ["", []],
  ["  a \t b\nc ", ["a", "b", "c"]],
  ['"big file" v2', ["big file", "v2"]],
  [`it's open`, ["its open"]],
  [`a"b c"d 'e"f'`, ["ab cd", 'e"f']],
  ['"" x', ["", "x"]],
  ["a\\ b \\", ["a b", "\\"]],
  ['"a\\"b \\n"', ['a"b \\n']],
  ["'a\\b'", ["a\\b"]],
])("%j is the words %j", (text, words) => {
  expect(splitArguments(text)).toEqual(words);
});
