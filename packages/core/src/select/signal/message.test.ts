import { expect, test } from "vitest";
import { readMessage } from "./message.ts";

test("whatever is pasted, a bounded part of it is read, from its beginning and its end", () => {
  const paste = `first-words ${"lorem1 ipsum2 dolor3 ".repeat(50_000)} last-words`;
  const message = readMessage(paste);
  expect(message.text.length).toBeLessThanOrEqual(4_001);
  expect(message.terms).toContain("first");
  expect(message.terms).toContain("last");
});

test("ten thousand names become a bounded number of terms, grams and pieces of evidence", () => {
  const message = readMessage(
    Array.from({ length: 10_000 }, (_, index) => `n${index.toString(36)}x`).join(" "),
  );
  expect(message.terms.length).toBeLessThanOrEqual(64);
  expect(message.sequence.length).toBeLessThanOrEqual(800);
  expect(message.grams.length).toBeLessThanOrEqual(250);
  expect(message.evidence.length).toBeLessThanOrEqual(41);
});

test("variables and prices are no words", () => {
  const { terms } = readMessage(["why is $PATH empty, and $", "{HOME}? it costs $12, says $alice"].join(""));
  for (const word of ["path", "home", "12"]) expect(terms).not.toContain(word);
  for (const word of ["why", "empt", "alic"]) expect(terms).toContain(word);
});

test("terms keep their order and are numbered once", () => {
  const { sequence, terms } = readMessage("Merge the PDFs, then merge the images");
  expect(sequence.map((term) => terms[term])).toEqual(["merg", "the", "pdf", "then", "merg", "the", "imag"]);
});
