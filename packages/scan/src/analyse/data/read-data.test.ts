import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { DataNode } from "./data-node.ts";
import { readPairs, readYaml } from "./read-yaml.ts";
import { readJson, readToml } from "./value-scanner.ts";

/** Plain values, with every scalar as its text. */
function plain(node: DataNode): unknown {
  if (node.kind === "scalar") return node.text;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value !== "object" || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asTexts(inner)]));
}

const key = fc.stringMatching(/^[a-z]{1,8}$/);
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());

test("JSON is read as JSON.parse reads it, without a fault", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value")), fc.dictionary(key, tie("value"))),
  })).value;
  fc.assert(
    fc.property(fc.dictionary(key, value), (data) => {
      const { root, fault } = readJson(JSON.stringify(data));
      expect(fault).toBeUndefined();
      expect(plain(root)).toEqual(asTexts(data));
    }),
  );
});

test("comments, trailing commas, single quotes and bare keys are read", () => {
  const { root, fault } = readJson("{ // one\n a: 'b', /* two */ \"c\": [1, 2,], }");
  expect([plain(root), fault]).toEqual([{ a: "b", c: ["1", "2"] }, undefined]);
});

test("TOML is read as a TOML parser reads it", () => {
  const text = [
    'title = "x \\u0041"',
    "[a.b]",
    "c = 'lit\\eral'",
    'e = ["x",',
    '  "y"] # comment',
    "f.g = 5",
    "[servers.one]",
    'env = { KEY = "v", N = 1 }',
    'text = """',
    "line",
    'other"""',
    "",
  ].join("\n");
  const { root, fault } = readToml(text);
  expect(fault).toBeUndefined();
  expect(plain(root)).toEqual({
    ...(asTexts(parse(text)) as object),
    // A block keeps its first line end, so that its lines are those of the file.
    servers: { one: { env: { KEY: "v", N: "1" }, text: "\nline\nother" } },
  });
});

test("YAML of plain lines is read as the library reads it", () => {
  const parts = [
    "name",
    ": ",
    ":",
    " ",
    "\n",
    "\n",
    "a",
    "true",
    "1",
    "é",
    "(x)",
    "#",
    " #",
    "- ",
    '"',
    "'",
    "[",
    ",",
    "&a ",
    "|",
    "\t",
    "---",
  ];
  const line = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((list) => list.join(""));
  const header = fc.array(fc.tuple(fc.constantFrom("name: ", "description: ", "", "on: "), line), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(header, (lines) => {
      const text = lines.map((pair) => pair.join("")).join("\n");
      // The comment is for the library alone, and moves everything by two.
      const moved = (key: string, value: unknown): unknown =>
        /^(?:from|to)$/.test(key) ? Math.max(0, Number(value) - 2) : value;
      expect(readYaml(text)).toEqual(JSON.parse(JSON.stringify(readYaml(`#\n${text}`), moved)));
    }),
    { numRuns: 3_000 },
  );
});

test("YAML keeps blocks on their lines and reads every document", () => {
  const { root, fault } = readYaml("run: |\n  one\n  two\n---\nb: &x yes\nc: *x\n");
  expect([plain(root), fault]).toEqual([[{ run: "one\ntwo\n" }, { b: "yes", c: "yes" }], undefined]);
});

test("pairs are read with sections, exports and quotes", () => {
  const { root } = readPairs('[s]\nexport A="b c"\n# C=d\nE: f ; g\n\n$env:H = i\n');
  expect(plain(root)).toEqual({ s: { A: "b c", E: "f", H: "i" } });
});

describe("whatever the text", () => {
  const readers = [readJson, readToml, readYaml, readPairs];
  test.each(readers)("%o gives a tree whose places lie inside it", (read) => {
    const piece = fc.oneof(
      fc.constantFrom("{", "}", "[", "]", '"', "'", ":", "=", "\n", "- ", "\\", "#", "/*", "&a ", "*a"),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        check(read(text).root, text.length);
      }),
    );
  });

  const hostile = [
    "[",
    '{"a":',
    '"',
    "]}",
    "a: ",
    "- ",
    "a: b\n",
    '"\n',
    '\\"\n',
    '"""\n',
    "[a.b]\n",
    "/*",
    "? ",
    "*a ",
    "&a ",
    "{a: ",
    "'",
  ];
  test.each(hostile)("a long run of %j is read to its end", (part) => {
    for (const read of readers) {
      const text = part.repeat(Math.ceil((read === readYaml ? 100_000 : 1_000_000) / part.length));
      check(read(text).root, text.length);
    }
  });
});

function check(node: DataNode, length: number): void {
  if (node.kind === "list") for (const item of node.items) check(item, length);
  else if (node.kind === "map") for (const { value } of node.entries) check(value, length);
  else if (node.from < 0 || node.to > length || node.from > node.to) throw new Error(JSON.stringify(node));
}
