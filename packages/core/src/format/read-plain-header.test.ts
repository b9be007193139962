import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RawHeader } from "./raw-header.ts";
import { readHeaderWithLibrary } from "./read-header.ts";
import { readPlainHeader } from "./read-plain-header.ts";
import { isHeaderFault } from "./read-yaml-header.ts";
import { damagedHeaders, headers, jumbles } from "./testing/headers.ts";

describe("readPlainHeader", () => {
  it.each([
    ["plain, quoted and empty values", "name: pdf-forms\nversion: \"1.0\"\nauthor: 'it''s me'\nlicense:\n"],
    ["comments and blank lines", "# a\nname: x # b\n\n  # c\nurl: http://x/#y\n"],
    [
      "literal and folded text",
      "a: |\n  one\n\n    two\n  three\n\nb: >-\n  one\n  two\n\n  three\nc: >\n  end\n",
    ],
    [
      "maps and lists in one another",
      "metadata:\n  a:\n    b: 1\n  c:\n  - d\n  - e: f\n    g: h\n  -   i\nj:\n- k\n",
    ],
    ["one-line flow collections", 'm: {"a":{"b":["c","d"]},e: [f, g h], i: {}, j: [],}\n'],
    ["flow collections on several lines", 'm:\n  {\n    "a": [b,\n      c],\n  }\nn: [\n  d\n]\n'],
    ["scalars of every type", "a: true\nb: null\nc: ~\nd: 1.10\ne: 5\ng: 0x1F\nh: yes\n"],
    ["escapes", 'a: "say \\"hi\\" \\\\ \\/ \\n \\t"\n'],
    ["keys that other objects inherit", "__proto__: a\nconstructor:\n  __proto__: b\n  toString: c\n"],
    [
      "unquoted colons",
      "description: Use this: when needed # note\nmetadata:\n  hint: a: b\nlast: ends with:\n",
    ],
  ])("reads %s", (_what, text) => {
    expect(readPlainHeader(text)).toBeDefined();
    expectSameAsLibrary(text);
  });

  it.each([
    ["tabs", "a:\tb\n"],
    ["anchors", "a: &x b\n"],
    ["aliases", "a: *x\n"],
    ["tags", "a: !x b\n"],
    ["text that goes on in the next line", "a: b\n  c\n"],
    ["explicit indentation", "a: |2\n   b\n"],
    ["duplicate keys", "a: b\na: c\n"],
    ["duplicate keys in a flow map", "a: {b: c, b: d}\n"],
    ["deeper lines after a flow collection", "a: {b: c}\n  d: e\n"],
    ["a quoted text that goes on", 'a: "b\n  c"\n'],
    ["flow keys without a value", "a: {b, c: }\n"],
    ["comments in flow collections", "a: [b, # c\n  d]\n"],
    ["deep nesting", `a: ${"[".repeat(20)}${"]".repeat(20)}\n`],
    ["top-level lists", "- a\n"],
    ["document markers", "--- a\n"],
    ["nothing", "\n# nothing\n"],
  ])("leaves %s to the library", (_what, text) => {
    expect(readPlainHeader(text)).toBeUndefined();
  });

  it("gives exactly what the library gives, for anything that looks like a header", () => {
    fc.assert(fc.property(headers(), expectSameAsLibrary), { numRuns: 3000 });
  });

  it("gives exactly what the library gives, for any jumble of YAML's signs", () => {
    fc.assert(fc.property(jumbles(), expectSameAsLibrary), { numRuns: 3000 });
  });

  it("gives exactly what the library gives, for headers with a few wrong characters", () => {
    fc.assert(fc.property(damagedHeaders(), expectSameAsLibrary), { numRuns: 3000 });
  });

  it("accepts enough of the headers that follow the usual patterns for the properties to mean something", () => {
    const sample = fc.sample(headers(), { numRuns: 500, seed: 7 });
    expect(sample.filter((text) => readPlainHeader(text) !== undefined).length).toBeGreaterThan(150);
  });
});

function expectSameAsLibrary(text: string): void {
  const plain = readPlainHeader(text);
  if (plain === undefined) return;
  const full = readHeaderWithLibrary(text, "lenient");
  expect(isHeaderFault(full) ? full : comparable(full), JSON.stringify(text)).toEqual(comparable(plain));
}

/** Values as JSON, because the order of keys in maps counts as well. */
function comparable(header: RawHeader): unknown {
  const notes = header.notes.map(({ code, line, column }) => `${line}:${column} ${code}`).sort();
  return { values: JSON.stringify([...header.values]), notes };
}
