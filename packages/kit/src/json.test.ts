import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExactNumber, locateJson, parseJson, parseStrictJson } from "./json.ts";
import { type Located, plainValue } from "./located.ts";

const read = (text: string): unknown => {
  const located = locateJson(text);
  return "root" in located ? plainValue(located.root) : located.fault;
};

test("whatever JSON.parse reads is read the same, however it is written down", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(read(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("what JSON.parse refuses is refused with a place in the text, whatever was done to it", () => {
  const broken = fc
    .tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.constantFrom("", "x", ",", "}", '"', "\\", "\0", "01"))
    .map(([value, at, put]) => {
      const text = JSON.stringify(value, undefined, 1);
      const place = at % (text.length + 1);
      return `${text.slice(0, place)}${put}${text.slice(place + 1)}`;
    });
  fc.assert(
    fc.property(broken, (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        const located = locateJson(text);
        if (!("fault" in located)) throw new Error(`this was read: ${text}`);
        const { line, column } = located.fault.range;
        const lines = text.split("\n");
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column - 1).toBeLessThanOrEqual(lines[line - 1]!.length);
        return;
      }
      expect(read(text)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test("says where each value begins", () => {
  const text = '[\n  {"query": "a",\n   "x": [1,\n 2]}, "b"\n]';
  const places = (node: Located): unknown[] => [
    [node.range?.line, node.range?.column],
    ...(node.kind === "list" ? node.items.flatMap(places) : []),
    ...(node.kind === "map" ? node.entries.flatMap(({ value }) => places(value)) : []),
  ];
  const located = locateJson(text);
  expect("root" in located && places(located.root)).toEqual([
    [1, 1],
    [2, 3],
    [2, 13],
    [3, 9],
    [3, 10],
    [4, 2],
    [4, 7],
  ]);
});

test.each([
  ["[1, 2,]", "a value is expected here", 1, 7],
  ['[{"a": 1}\n{"a": 2}]', "a comma or ] is expected here", 2, 1],
  ["[1", "the text ends where a comma or ] is expected", 1, 3],
  ["{a: 1}", "a key in double quotes is expected here", 1, 2],
  ['["a\nb"]', "a text has a line break, another control character or an unknown escape", 1, 2],
  ['["a', "a string has no closing quote", 1, 2],
  ["[] []", "something follows the end of the document", 1, 4],
  ["", "the text ends where a value is expected", 1, 1],
  ["[".repeat(70), "values are nested more than 64 deep", 1, 66],
])("%j: %s, and where", (text, problem, line, column) => {
  expect(locateJson(text)).toEqual({ fault: { problem, range: { line, column } } });
});

test("a key called __proto__ is a key", () => {
  const located = locateJson('{"__proto__": {"query": "x"}}');
  expect("root" in located && located.root.kind === "map" && located.root.entries[0]?.key).toBe("__proto__");
});

test("a megabyte on one line, or in one text, takes no more than its length", () => {
  const row = '{"query":"a","should_trigger":true}';
  expect(read(`[${Array.from({ length: 28_000 }, () => row).join(",")}]`)).toHaveLength(28_000);
  expect(read(`["${"\\n".repeat(500_000)}"]`)).toEqual(["\n".repeat(500_000)]);
});

test.each([
  ['{"a":[1]}', { a: [1] }],
  ["null", null],
  ["{", undefined],
])("parseJson gives the value of %j, from text and from bytes", (text, value) => {
  expect(parseJson(text)).toEqual(value);
  expect(parseJson(Buffer.from(text))).toEqual(value);
});

test("parseJson takes bytes that are not UTF-8 for no JSON", () => {
  expect(parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toBeUndefined();
});

describe("parseStrictJson", () => {
  test("takes exactly what JSON.parse takes, keys that occur twice aside", () => {
    const tokens = '{ } [ ] , : "a" "b" 1 -0.5e3 01 true null "\\u00 "\\x" .'.split(" ");
    const token = fc.constantFrom(...tokens, " ", "\n", "\u00a0");
    fc.assert(
      fc.property(fc.array(token, { maxLength: 9 }), (tokens) => {
        const text = tokens.join("");
        const parsed = parseStrictJson(text);
        if ("fault" in parsed && parsed.fault.problem.includes("occurs twice")) return;
        expect("root" in parsed).toBe(parseJson(text) !== undefined);
      }),
      { numRuns: 3_000 },
    );
  });

  test("says on which line each object begins, and where a fault is", () => {
    const parsed = parseStrictJson('{\n "a": [\n  {}\n ]\n}');
    if ("fault" in parsed) throw new Error(parsed.fault.problem);
    const root = parsed.root as { readonly a: readonly object[] };
    expect([parsed.lineOf(root), parsed.lineOf(root.a[0]!)]).toEqual([1, 3]);
    expect(parseStrictJson('{\n "a": 1\n "b": 2 }')).toMatchObject({ fault: { range: { line: 3 } } });
    expect(parseStrictJson('{\n "a": 1,\n "a": 2 }')).toEqual({
      fault: { problem: 'the key "a" occurs twice', range: { line: 3, column: 2 } },
    });
  });

  test("keeps numbers as they are written, and gives objects no prototype", () => {
    const parsed = parseStrictJson('{"__proto__": 1.10}');
    expect("root" in parsed && parsed.root).toEqual(
      Object.assign(Object.create(null), { ["__proto__"]: new ExactNumber("1.10") }),
    );
  });

  test("a text of megabytes neither overflows nor takes more than one pass", () => {
    const text = `"${"\\\\x".repeat(2_000_000)}"`;
    expect(parseStrictJson(text)).toHaveProperty("root");
    expect(parseStrictJson(text.slice(0, -1))).toHaveProperty("fault");
  });
});
