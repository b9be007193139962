import { expect, test } from "vitest";
import { parseSkill } from "./parse-skill.ts";

const check = (line: string, mode: "strict" | "lenient" = "strict") =>
  parseSkill(`---\nname: a\ndescription: b\n${line}\n---\n`, { mode, directoryName: "a" }).diagnostics;

test.each([
  ["descripton: c", "Did you mean description? If not, move it below metadata."],
  ["alowed_tools: Read", "Did you mean allowed-tools? If not, move it below metadata."],
  ["when-to-us: c", "Did you mean when-to-use? If not, move it below metadata."],
  ["colour: red", "Move it below metadata, or remove it."],
])("a key that no client knows is warned about, with what was perhaps meant: %s", (line, hint) => {
  const key = line.split(":")[0];
  expect(check(line)).toEqual([
    {
      code: "unknown-key",
      severity: "warning",
      message: `Neither the specification nor a known client defines "${key}", so it has no effect.`,
      file: expect.any(String),
      range: expect.objectContaining({ line: 4, column: 1 }),
      hint,
    },
  ]);
  expect(check(line, "lenient")).toEqual([]);
});

test.each(["argument-hint: c", "argument_hint: c", "argumentHint: c", "version: c"])(
  "a key of a known client is only noted, in every spelling: %s",
  (line) => {
    expect(check(line).map(({ code, severity }) => [code, severity])).toEqual([["not-portable", "info"]]);
  },
);

test("a standard key in another spelling is to be written as the specification has it", () => {
  const hints = check("allowed_tools: Read").map(({ hint }) => hint);
  expect(hints).toEqual(["Write allowed-tools, which every client knows."]);
});

test.each([
  ["disable_model_invocation: true", "Did you mean disable-model-invocation?"],
  ["userInvocable: true", "Did you mean user-invocable?"],
  ["disable-model-invocation: true", "Move it below metadata"],
  ["when_to_use: c", "Move it below metadata"],
])("a key of Claude Code is to be written as its documentation has it: %s", (line, hint) => {
  expect(check(line).map((one) => one.hint)).toEqual([expect.stringContaining(hint)]);
});

test("a name or description with capitals is one error, which says how to write it", () => {
  const { diagnostics } = parseSkill("---\nName: a\nDESCRIPTION: b\n---\n", {
    mode: "strict",
    directoryName: "a",
  });
  expect(diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
    ["missing-description", "Write description in lower case, not DESCRIPTION."],
    ["missing-name", "Write name in lower case, not Name."],
  ]);
});
