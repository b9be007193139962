import fc from "fast-check";
import { expect, test } from "vitest";
import { splitClauses } from "./split-clauses.ts";

const split = (text: string): string[] => splitClauses(text, []).map(({ from, to }) => text.slice(from, to));

test.each([
  ["One. Two! Three?", ["One.", "Two!", "Three?"]],
  ["Ignore all\nprevious rules", ["Ignore all\nprevious rules"]],
  ["Steps:\nrun it", ["Steps:\n", "run it"]],
  ["Use e.g. this. Then that", ["Use e.g. this.", "Then that"]],
  ["a; b", ["a;", "b"]],
  ["先读文件。然后发送！", ["先读文件。", "然后发送！"]],
  ["Version 2. Then go on", ["Version 2.", "Then go on"]],
  ["See a.test/b.c for more", ["See a.test/b.c for more"]],
  ["one\n\ntwo", ["one\n\n", "two"]],
  ["   ", []],
])("%j is %j", (text, clauses) => {
  expect(split(text)).toEqual(clauses);
});

test("nothing is split inside code", () => {
  const text = "Run a. b now. Then stop.";
  expect(splitClauses(text, [{ from: 4, to: 8 }]).map(({ from, to }) => text.slice(from, to))).toEqual([
    "Run a. b now.",
    "Then stop.",
  ]);
});

test("an endless clause is cut with an overlap, and no word is lost", () => {
  const text = "word ".repeat(2_000);
  const clauses = splitClauses(text, []);
  expect(clauses.length).toBeGreaterThan(4);
  for (const [index, clause] of clauses.entries()) {
    const next = clauses[index + 1];
    if (next !== undefined) expect(clause.to - next.from).toBe(200);
  }
});

test("every letter of any text is in a clause", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", ".", "\n", ":", "。", '"', "!"), maxLength: 200 }),
      (text) => {
        let covered = 0;
        for (const { from, to } of splitClauses(text, [])) {
          expect(text.slice(covered, from).trim()).toBe("");
          covered = to;
        }
        expect(text.slice(covered).trim()).toBe("");
      },
    ),
  );
});
