import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonValue } from "./fold-function.ts";
import { MAX_FOLDED_CHARACTERS } from "./value.ts";

test("a JSON text is the value that a program would hold", () => {
  const fields = jsonValue('{"__proto__": {"a": "x"}, "list": [1, null]}')?.box?.fields;
  expect(fields?.get("__proto__")?.box?.fields?.get("a")).toStrictEqual({ text: "x", taints: [] });
  expect(fields?.get("list")?.box?.items).toStrictEqual([{ number: 1, taints: [] }, { taints: [] }]);
});

test("what is no JSON, or too long, is not known", () => {
  expect([jsonValue("{a: 1}"), jsonValue(`"${"x".repeat(MAX_FOLDED_CHARACTERS)}"`)]).toStrictEqual([
    undefined,
    undefined,
  ]);
});

test("any JSON is taken, however deep", () => {
  fc.assert(fc.property(fc.json(), (text) => jsonValue(text) !== undefined));
  expect(jsonValue("[".repeat(5_000) + "]".repeat(5_000))).toBeDefined();
});
