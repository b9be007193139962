import fc from "fast-check";
import { expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { analyseToolCalls } from "./analyse-tool-calls.ts";

const read = (text: string) =>
  analyseToolCalls(
    makeSource(text, { file: "SKILL.md", language: "python", medium: "fence", firstLine: 10 }),
  );

test("what a call writes is a file of that name, on its own lines", () => {
  const call = `x\nwrite_file(".claude/settings.json", '''{\n "yolo": true\n}''')`;
  const { facts, texts } = read(call);
  expect(facts.map((fact) => (fact.kind === "act" ? [fact.act.type, fact.line] : []))).toEqual([
    ["write", 11],
    ["agent-config", 11],
  ]);
  expect(
    texts.map(({ language, text, firstLine, keepsLines }) => [language, text, firstLine, keepsLines]),
  ).toEqual([["json", '{\n "yolo": true\n}', 11, true]]);
});

test.each([
  ['create_file(path="run.sh", content="echo a\\necho b")', "shell", "echo a\necho b"],
  ["edit_file('Dockerfile', old_string='USER app', new_string='USER root')", "dockerfile", "USER root"],
  ['writeFile({ "path": ".env", "content": "A=1" })', "ini", "A=1"],
  ['save_file("notes", "plain")', "text", "plain"],
])("%s writes %s", (call, language, text) => {
  expect(read(call).texts.map((inner) => [inner.language, inner.text])).toEqual([[language, text]]);
});

test.each([
  "write_file(path, content)",
  'write_file("a.sh")',
  "the tool write_file writes a file",
  'def write_file(path, text="x"):',
  "write_file('a.sh', 'never closed",
])("%s writes nothing that is known", (call) => {
  expect(read(call)).toEqual({ facts: [], texts: [] });
});

test("any text is read to its end", () => {
  const part = fc.constantFrom("write_file(", '"', "'", "'''", ",", "a.json", "\\", "\n", ")", "=", "x");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      for (const { firstLine } of read(parts.join("")).texts) expect(firstLine).toBeGreaterThanOrEqual(10);
    }),
  );
});

test.each(["write_file(", 'write_file("', "write_file('a','", "write_file('''", "write_file(a=a="])(
  "a megabyte of %s is read to its end",
  (part) => {
    expect(read(part.repeat(Math.ceil(1_000_000 / part.length))).texts.length).toBeLessThanOrEqual(200);
  },
);
