import { expect, test } from "vitest";
import { splitClauses } from "./split-clauses.ts";

test("what a skill is not for is a clause of its own", () => {
  expect(
    splitClauses(
      'Fills in PDF forms. Use when the user says "fill this form". Do NOT use for scans.',
      "description",
    ),
  ).toEqual([
    { kind: "description", text: "Fills in PDF forms." },
    { kind: "description", text: 'Use when the user says "fill this form".' },
    { kind: "phrase", text: "fill this form" },
    { kind: "negative", text: "Do NOT use for scans." },
  ]);
});

test("what stands before the negation stays positive", () => {
  expect(splitClauses("Reads tables, not for charts", "trigger")).toEqual([
    { kind: "trigger", text: "Reads tables, " },
    { kind: "negative", text: "not for charts" },
  ]);
});

test("other languages say it too", () => {
  for (const text of [
    "NON usarla per le mele",
    "不要用于图片",
    "Não use para fotos",
    "не использовать для фото",
  ])
    expect(splitClauses(text, "description").map(({ kind }) => kind)).toEqual(["negative"]);
});

test("a negation that is not about using the skill is none", () => {
  expect(splitClauses("Works even when they don't explicitly say memory", "description")).toHaveLength(1);
});

test("no text makes more than a bounded number of clauses", () => {
  expect(splitClauses('"a b" x.\n'.repeat(10_000), "description").length).toBeLessThan(400);
});

test("no text takes long to split", () => {
  for (const piece of [" ", "*", ":", ": *", "Not for: ", "- ", "A a: - ", "nicht ", ". "])
    expect(
      splitClauses(`Do not use for: ${piece.repeat(8_000 / piece.length)}`, "description").length,
    ).toBeLessThan(400);
});
