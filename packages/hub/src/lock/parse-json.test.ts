import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

describe("parseJson", () => {
  test("reads whatever JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const parsed = parseJson(text);
        expect(parsed.ok && JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("takes exactly what JSON.parse takes, keys that occur twice aside", () => {
    const token = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b"',
      "1",
      "-0.5e3",
      "01",
      "true",
      "null",
      " ",
      "\n",
      '"\\u00',
      '"\\x"',
      ".",
      "\u00a0",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 9 }), (tokens) => {
        const text = tokens.join("");
        const parsed = parseJson(text);
        if (!parsed.ok && parsed.problem.includes("occurs twice")) return;
        expect(parsed.ok).toBe(isJson(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test("says on which line each object begins, and where a fault is", () => {
    const parsed = parseJson('{\n "a": [\n  {}\n ]\n}');
    const inner = parsed.ok ? (parsed.value as { a: object[] }).a[0]! : {};
    expect(parsed.ok && [parsed.lineOf(parsed.value as object), parsed.lineOf(inner)]).toEqual([1, 3]);
    expect(parseJson('{\n "a": 1\n "b": 2 }')).toEqual({
      ok: false,
      problem: "a comma or } is missing",
      line: 3,
    });
  });

  test("a text of megabytes neither overflows nor takes more than one pass", () => {
    const text = `"${"\\\\x".repeat(2_000_000)}"`;
    expect(parseJson(text)).toMatchObject({ ok: true });
    expect(parseJson(text.slice(0, -1))).toMatchObject({ ok: false, problem: "a text has no end" });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
