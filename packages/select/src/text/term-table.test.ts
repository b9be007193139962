import { splitWords, stemWord } from "@skillet/kit/words";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TermTable, termOf } from "./term-table.ts";

function scan(table: TermTable, text: string): string[] {
  return Array.from(table.scan(text), (number) => table.terms[termOf(number)]!);
}

test("a scan gives the terms that splitting and stemming give, whatever the text", () => {
  const table = new TermTable();
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(
      "fooBar",
      "HTTPServer",
      "A",
      "x".repeat(90),
      "naïve",
      "合并PDF",
      "don't",
      "API2Go",
      "\u0301",
      "=\u0338",
      "=\u0338x",
      "a\u2014b",
      "\u2192",
      "\u2014\u0301x",
      "Skillet\u2122",
      "\u2460\u2776",
      "\u2500\u2500x",
      "\ud83d\udc4d\ud83c\udffda",
      "\ud83c\udd30",
      "\ud800x",
      "e\u0301\u2026\u0301",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join(" ");
      expect(scan(table, text)).toEqual(splitWords(text).map(stemWord));
    }),
    { numRuns: 2_000 },
  );
});

test("a term has one number, also after the table has grown", () => {
  const table = new TermTable();
  const words = Array.from(
    { length: 20_000 },
    (_, index) => `w${index.toString(2).replaceAll("0", "a").replaceAll("1", "b")}q`,
  );
  scan(table, words.join(" "));
  const size = table.terms.length;
  scan(table, words.toReversed().join(" ").toUpperCase());
  expect(table.terms.length).toBe(size);
});
