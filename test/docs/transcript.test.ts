import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesOutput, parseTranscript } from "./transcript.ts";

test("a session is commands, lines that continue them, and what they print", () => {
  expect(parseTranscript("$ cat <<END\n> one\n> END\none\n> two\n$ true\n$ echo $?\n0\n")).toEqual([
    { command: "cat <<END\none\nEND", expected: "one\n> two" },
    { command: "true", expected: "" },
    { command: "echo $?", expected: "0" },
  ]);
});

test("output before the first command is refused", () => {
  expect(() => parseTranscript("hello\n$ true\n")).toThrow("hello");
});

test.each([
  ["a\nb", "a\nb\n", true],
  ["a  \n\nb", "a\n\nb   \n\n", true],
  ["a\nb", "a\nb\nc", false],
  ["a\nb", "a", false],
  ["a", "", false],
  ["", "", true],
  ["", "a", false],
  ["a …", "a b c", true],
  ["a … c", "a b c", true],
  ["a … d", "a b c", false],
  ["…", "", true],
  ["a\n…", "a", true],
  ["a\n…\nd", "a\nb\nc\nd", true],
  ["a\n…\nd", "a\nb\nc", false],
  ["…\nb\n…", "a\nb\nc", true],
  ["…\nx\n…", "a\nb\nc", false],
  ["a.c (1+)", "abc (1+)", false],
])("%j against %j: %s", (expected, actual, answer) => {
  expect(matchesOutput(expected, actual)).toBe(answer);
});

test("every output matches itself, and itself with lines left out for a gap", () => {
  const line = fc.stringMatching(/^[a-z$.*()[\]\\][a-z .]{0,5}$/);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.nat(8), fc.nat(8), (lines, one, other) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)];
      const cut = [...lines.slice(0, start), "…", ...lines.slice(end)];
      return (
        matchesOutput(lines.join("\n"), lines.join("\n")) && matchesOutput(cut.join("\n"), lines.join("\n"))
      );
    }),
  );
});
