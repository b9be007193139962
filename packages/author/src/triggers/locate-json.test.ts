import { type Located, locateYaml } from "@skillet/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { locateJson } from "./locate-json.ts";

function plain(node: Located): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

const read = (text: string): unknown => {
  const located = locateJson(text);
  return "root" in located ? plain(located.root) : located.fault;
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

test("places are those that the YAML library finds in the same text", () => {
  const text = '[\n  {"query": "a",\n   "x": [1,\n 2]}, "b"\n]';
  const places = (node: Located): unknown[] => [
    [node.range?.line, node.range?.column],
    ...(node.kind === "list" ? node.items.flatMap(places) : []),
    ...(node.kind === "map" ? node.entries.flatMap(({ value }) => places(value)) : []),
  ];
  const located = locateJson(text);
  expect("root" in located && places(located.root)).toEqual(places(locateYaml(text).root));
});

test.each([
  ["[1, 2,]", "a value is expected here", 1, 7],
  ['[{"a": 1}\n{"a": 2}]', "a comma or ] is expected here", 2, 1],
  ["[1", "it ends where a comma or ] is expected", 1, 3],
  ["{a: 1}", "a key in double quotes is expected here", 1, 2],
  ['["a\nb"]', "a text in quotes does not end on its line, or has a wrong escape", 1, 2],
  ["[] []", "something stands behind the end", 1, 4],
  ["", "it ends where a value is expected", 1, 1],
  ["[".repeat(40), "values are nested more than 32 deep", 1, 34],
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
