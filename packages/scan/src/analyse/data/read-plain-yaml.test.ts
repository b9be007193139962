import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPlainYaml, readYamlWithLibrary } from "./read-yaml.ts";

const PLAIN = [
  "name: notes\ndescription: Keeps notes in order.\n",
  "name:   notes  \n\ndescription: See https://a.test/x for more.\n",
  "version: 1.0\nflag: true\nnothing: null\nquoted: \"1.0\"\nsingle: 'a: b # c'\n",
  "metadata:\n  author: somebody\n  tags:\n    - one\n    - 'two'\n  deep:\n    er: x\nlicense: MIT\n",
  "tools:\n- Read\n- Bash\nname: x",
  'metadata: {"a":{"b":["c",1,null,true]},"d":""}\nlist: ["x", "y"]\n',
  "name: заметки\ndescription: 整理笔记。\n",
];

describe("it gives what the library gives", () => {
  test.each(PLAIN)("%j", (text) => {
    const root = readPlainYaml(text);
    expect(root).toBeDefined();
    expect(readYamlWithLibrary(text)).toEqual({ root });
  });

  test("however a text is spoilt, unless it gives up", () => {
    const marks = fc.constantFrom(
      ..." \n:-#\"'{}[],|>&*!?%@`~.0az\\",
      "\t",
      "\r",
      ": ",
      "\n  ",
      "- ",
      "---\n",
    );
    const spoil = fc.tuple(fc.nat(), fc.nat({ max: 2 }), marks);
    fc.assert(
      fc.property(
        fc.constantFrom(...PLAIN),
        fc.array(spoil, { minLength: 1, maxLength: 4 }),
        (plain, spoils) => {
          let text = plain;
          for (const [place, removed, mark] of spoils) {
            const at = place % (text.length + 1);
            text = text.slice(0, at) + mark + text.slice(at + removed);
          }
          const root = readPlainYaml(text);
          if (root !== undefined) expect(readYamlWithLibrary(text)).toEqual({ root });
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["a text over several lines", "description: one\n  two\n"],
  ["a folded block", "description: >\n  one\n"],
  ["a colon in a plain text", "description: one: two\n"],
  ["a comment", "name: x # y\n"],
  ["an anchor", "a: &b c\nd: *b\n"],
  ["an escape", 'a: "\\x41"\n'],
  ["a map in a list", "a:\n  - b: c\n"],
  ["flow that is no JSON", "a: {b: c}\n"],
  ["a key without a value", "a:\nb: c\n"],
  ["an indentation that belongs nowhere", "a:\n    b: c\n  d: e\n"],
  ["a second document", "a: b\n---\nc: d\n"],
  ["a tab", "a:\tb\n"],
  ["nothing", "\n"],
])("%s is left to the library", (_title, text) => {
  expect(readPlainYaml(text)).toBeUndefined();
});

test("what is longer than a header is left to the library, which has a bound of its own", () => {
  expect(readPlainYaml(`a: ${"b".repeat(40_000)}\n`)).toBeUndefined();
});
