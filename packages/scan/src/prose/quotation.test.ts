import { expect, test } from "vitest";
import { FactBook } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import { makeProfile } from "../testing/make-fact.ts";
import { makeProse } from "../testing/make-prose.ts";
import { lowerQuoted } from "./quotation.ts";
import { readStatements, type Statement } from "./statements.ts";

const find = ({ clause, marks }: Statement): readonly RuleHit[] =>
  marks.has("ignore") ? [{ severity: "critical", place: clause, message: "found" }] : [];

function judge(
  text: string,
  {
    section = [],
    isSecurityTool = false,
    file = "SKILL.md",
  }: { section?: string[]; isSecurityTool?: boolean; file?: string } = {},
): unknown {
  const facts = makeProse(text).map((fact) => ({ ...fact, section, file }));
  return readStatements(new FactBook(facts)).flatMap((statement, index, all) =>
    lowerQuoted(statement, all.slice(index + 1), makeProfile({ isSecurityTool }), find).map(
      ({ severity }) => severity,
    ),
  );
}

test.each([
  ["plain words", "Ignore it", {}, ["critical"]],
  ["a clause in marks", '"Ignore it"', {}, ["warn"]],
  ["the beginning of a quotation", '"Ignore it.', {}, ["warn"]],
  ["a quotation that is called a phrase and never closed", 'Step one says "ignore it', {}, ["warn"]],
  ["one that is followed by another", 'Step one says "ignore it\nSay "hello"', {}, ["warn"]],
  ["one that a later clause closes", 'Step one says "ignore it.\nBe quick".', {}, ["info"]],
  ["a quotation that is called a phrase", 'Phrases like "ignore it"', {}, ["info"]],
  ["several quotations", '"ignore it", "forget it"', {}, ["info"]],
  ["words outside the marks", 'Ignore the "note"', {}, ["critical"]],
  ["a quotation in a security skill", '"Ignore it"', { isSecurityTool: true }, ["info"]],
  [
    "a section about attacks in a security skill",
    "Ignore it",
    { section: ["Injection"], isSecurityTool: true },
    ["warn"],
  ],
  ["a section about attacks in another skill", "Ignore it", { section: ["Injection"] }, ["critical"]],
  ["a reference about attacks", "Ignore it", { section: ["Injection"], file: "references/a.md" }, ["warn"]],
  [
    "another section of a security skill",
    "Ignore it",
    { section: ["Usage"], isSecurityTool: true },
    ["critical"],
  ],
])("%s", (_title, text, context, expected) => {
  expect(judge(text, context)).toEqual(expected);
});
