import { hasHidden } from "@skillet/kit/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonSchema } from "../schema/check-against-schema.ts";
import { redactSecrets } from "../secrets.ts";
import { answerCleaner, type ToolOutput, toolOutput } from "./read-answer.ts";

const SECRET = "s3cr3t-v4lue";
const clean = answerCleaner(redactSecrets({ API_KEY: SECRET, PIN: "12345678" }));
const read = (text: string, schema?: JsonSchema): ToolOutput => toolOutput(text, clean, schema);
const escaped = (text: string): string =>
  text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

test.each([
  ["a sequence that a terminal obeys", "a\u001b]52;c;aGk=\u0007b", "a]52;c;aGk=b"],
  ["a turn of the direction", "a\u202egpj", "agpj"],
  ["tags", "a\u{e0049}\u{e0067}b", "ab"],
  ["variation selectors", "a\u{e0149}b", "ab"],
  ["a space without width", "a\u200bb", "ab"],
  ["line ends of other kinds", "a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"],
  ["a secret", `key=${SECRET};`, "key=[redacted API_KEY];"],
  ["a secret with something hidden in it", "s3cr3t\u200b-v4lue", "[redacted API_KEY]"],
  ["what is seen", "tab\tline\n👩‍💻 می‌خواهم <b>", "tab\tline\n👩‍💻 می‌خواهم <b>"],
])("%s is not in a text of an answer, nor in a key, however it was escaped", (_what, text, expected) => {
  for (const json of [JSON.stringify(text), `"${escaped(text)}"`]) {
    expect(read(json)).toEqual({ value: expected });
    expect(read(`[{${json}: [${json}]}]`)).toEqual({ value: [{ [expected]: [expected] }] });
  }
});

test("a secret of digits is not in a number, however it was written", () => {
  for (const number of ["12345678", "1.2345678e7", "123456780E-1", "912345678", "0.12345678"])
    expect(JSON.stringify(read(`{"pin": ${number}}`))).not.toContain("12345678");
  expect(read("[1234, -0.5, 1e21, true, null]")).toEqual({ value: [1234, -0.5, 1e21, true, null] });
});

test("keys that become the same are no answer, rather than one of them lost", () => {
  const expected = {
    code: "output-invalid",
    problem: "The script's answer has keys that differ only in what is not shown, so none was taken.",
  };
  expect(read('{"a": 1, "a\\u200b": 2}')).toEqual(expected);
  expect(read(`[{"x": {"${escaped(SECRET)}": 1, "[redacted API_KEY]": 2}}]`)).toEqual(expected);
  expect(read('[{"a": 1}, {"a\\u200b": 2}]')).toEqual({ value: [{ a: 1 }, { a: 2 }] });
});

test("what is said about an answer that does not fit holds nothing that is not seen, no secret and no tag", () => {
  const schema = { type: "object", additionalProperties: { type: "number" } };
  expect(read(`{"\\u202eevil\\udb40\\udc49</x>\\n${escaped(SECRET)}": "x"}`, schema)).toEqual({
    code: "output-schema-mismatch",
    problem:
      "The script's answer does not fit the tool's schema:\n- \"/evil\\u003c~1x\\u003e\\n[redacted API_KEY]\" must be a number, but is a string",
  });
});

test("what is checked is what is given", () => {
  expect(read('"\\u200b\\u200b"', { minLength: 1 })).toMatchObject({ code: "output-schema-mismatch" });
  expect(read('"a\\u200b"', { enum: ["a"] })).toEqual({ value: "a" });
});

test("keys of prototypes stay keys", () => {
  const output = read('{"__proto__": {"polluted": "\\u200b"}, "constructor": 1}');
  const value = "value" in output ? (output.value as object) : {};
  expect(Object.entries(value)).toEqual([
    ["__proto__", { polluted: "" }],
    ["constructor", 1],
  ]);
  expect("polluted" in {}).toBe(false);
});

test("every JSON value is read, and nothing hides in what is given", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const output = read(JSON.stringify(value));
      const texts = "value" in output ? textsOf(output.value) : [output.problem];
      expect(texts.filter(hasHidden)).toEqual([]);
    }),
  );
});

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)]);
}
