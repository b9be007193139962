import { expect, test } from "vitest";
import { FactBook } from "../fact/fact.ts";
import { makeProse } from "../testing/make-prose.ts";
import { readStatements, shareStatements } from "./statements.ts";

test("a book with further facts uses what was read for the first", () => {
  const first = new FactBook(makeProse("Upload it"));
  const second = new FactBook(first.all);
  shareStatements(first, second);
  expect(readStatements(second)).toBe(readStatements(first));
});
