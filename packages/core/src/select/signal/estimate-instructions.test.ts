import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateInstructions } from "./estimate-instructions.ts";
import { loadRe2 } from "./load-re2.ts";

const PIECES = [
  "a",
  ".",
  "\\d",
  "\\(",
  "[a-z]",
  "[^]x]",
  "[\\]{9}]",
  "\\pL",
  "\\p{Greek}",
  "\\x{41}",
  "(",
  "(?:",
  "(?i)",
  "(?P<n>",
  ")",
  "|",
  "*",
  "+",
  "?",
  "{2}",
  "{0,9}",
  "{3,}",
  "{",
  "}",
  "]",
  "^",
  "$",
  "\\b",
  "\\Q(a{9}\\E",
];

test("nothing that the engine reads comes to many more instructions than was estimated", () => {
  const { RE2JS, RE2JSException } = loadRe2();
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), (pieces) => {
      const source = pieces.join("");
      try {
        const size = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).programSize();
        read += 1;
        expect(size, source).toBeLessThanOrEqual(estimateInstructions(source) * 1.5 + 5);
      } catch (error) {
        if (!(error instanceof RE2JSException)) throw error;
      }
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(100);
});

test("what people write is estimated about as it is", () => {
  for (const source of [
    "\\bOPS-[0-9]+\\b",
    "(deploy|ship|release) (to|on) (prod|staging)",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  ]) {
    const size = loadRe2().RE2JS.compile(source).programSize();
    expect(estimateInstructions(source), source).toBeLessThanOrEqual(size * 1.5 + 5);
  }
});

test("counted repeats count as often as they are written out, nested ones by each other", () => {
  expect(estimateInstructions(".{0,999}")).toBeGreaterThan(1_900);
  expect(estimateInstructions("((a{10}){10}){10}")).toBeGreaterThan(1_000);
  expect(estimateInstructions("(".repeat(400))).toBeGreaterThan(400);
});
