import { describe, expect, test } from "vitest";
import { FactBook } from "../fact/fact.ts";
import { makeProfile } from "../testing/make-fact.ts";
import { makeSource } from "../testing/make-source.ts";
import { readRulePack } from "./read-rule-pack.ts";

const read = (text: string) => readRulePack(text, { file: "pack.yaml", reservedIds: new Set(["EX1"]) });
const rule = (parts: string): string =>
  `rules:\n  - id: ACME-1\n    title: Internal host\n    severity: warn\n${parts}`;
const codes = (text: string): string[] => read(text).diagnostics.map(({ code }) => code);

test("a rule of a pack finds its pattern, with line and words", () => {
  const pack = read(
    rule(
      "    match: { pattern: 'intra\\.acme\\.test' }\n    message: Names an internal host.\n    remedy: Leave it out.\n",
    ),
  );
  expect(pack.diagnostics).toEqual([]);
  const { facts } = pack.analyse(makeSource("one\nsee INTRA.acme.test now\n"));
  expect(pack.rules.map(({ id, category, remedy }) => [id, category, remedy])).toEqual([
    ["ACME-1", "custom", "Leave it out."],
  ]);
  expect(pack.rules[0]?.find(new FactBook(facts), makeProfile())).toMatchObject([
    {
      severity: "warn",
      message: "Names an internal host.",
      place: { line: 2, snippet: "intra.acme.test now" },
    },
  ]);
});

test("conditions are joined by any, all and not", () => {
  const { analyse } = read(
    rule(
      "    match:\n      all:\n        - any: [{ pattern: curl }, { pattern: wget }]\n        - not: { pattern: checksum }\n",
    ),
  );
  const count = (text: string): number => analyse(makeSource(text)).facts.length;
  expect([count("use wget"), count("use wget, then checksum"), count("use ftp")]).toEqual([1, 0, 0]);
});

test("languages, media and the raw view narrow a rule", () => {
  const { analyse } = read(
    rule("    languages: [shell]\n    media: [script]\n    view: raw\n    match: { pattern: Curl }\n"),
  );
  const count = (text: string, source: object): number => analyse(makeSource(text, source)).facts.length;
  expect(count("Curl", { language: "shell", medium: "script" })).toBe(1);
  expect(count("curl", { language: "shell", medium: "script" })).toBe(0);
  expect(count("Curl", { language: "python", medium: "script" })).toBe(0);
  expect(count("Curl", { language: "shell", medium: "fence" })).toBe(0);
});

describe("what is wrong with a pack is told", () => {
  test.each([
    ["not YAML", "rules: [", "rule-pack-invalid"],
    ["no rules", "a: b\n", "rule-pack-invalid"],
    ["too large", `# ${"x".repeat(300_000)}\nrules: []\n`, "rule-pack-too-large"],
    ["too many rules", `rules:\n${"  - id: A\n".repeat(201)}`, "rule-pack-too-large"],
    [
      "an id of the scanner",
      "rules:\n  - id: EX1\n    title: a\n    severity: info\n    match: { pattern: a }\n",
      "rule-id-taken",
    ],
    ["no id", "rules:\n  - title: a\n", "rule-field"],
    ["no severity", "rules:\n  - id: A1\n    title: a\n    match: { pattern: a }\n", "rule-field"],
    ["an unknown language", rule("    languages: [cobol]\n    match: { pattern: a }\n"), "rule-field"],
    ["no condition", rule(""), "rule-match"],
    ["an unknown condition", rule("    match: { regex: a }\n"), "rule-match"],
    ["a pattern that looks around", rule("    match: { pattern: '(?=a)' }\n"), "rule-pattern"],
    ["a pattern that is too long", rule(`    match: { pattern: ${"a".repeat(1001)} }\n`), "rule-pattern"],
    [
      "an example that is not met",
      rule("    match: { pattern: a }\n    tests: { positive: [b] }\n"),
      "rule-test-failed",
    ],
    [
      "a counter-example that is met",
      rule("    match: { pattern: a }\n    tests: { negative: [cab] }\n"),
      "rule-test-failed",
    ],
    ["an unknown key", rule("    match: { pattern: a }\n    colour: red\n"), "rule-unknown-key"],
  ])("%s", (_title, text, code) => {
    expect(codes(text)).toContain(code);
  });

  test("with its place", () => {
    expect(read(rule("    match: { pattern: '(?=a)' }\n")).diagnostics[0]?.range).toEqual({
      line: 5,
      column: 14,
    });
  });

  test.each([
    [
      "a word that is no severity",
      "severity: info",
      "severity: hgih",
      "3:15",
      /severity` must be one of info, warn, critical, but is "hgih"/,
    ],
    ["an id in small letters", "id: A1", "id: acme", "2:9", /id` must be an id, but is "acme".*ACME-1/],
    ["broken YAML", "title: a", "title: a: b", "4:12", /check quotes, colons/],
  ])("%s: position, what is wrong and what to write", (_title, right, wrong, place, told) => {
    const text = "rules:\n  - id: A1\n    severity: info\n    title: a\n    match: { pattern: a }\n".replace(
      right,
      wrong,
    );
    const [fault] = read(text).diagnostics;
    expect(`${fault?.message}; ${fault?.hint}`).toMatch(told);
    expect(`${fault?.range?.line}:${fault?.range?.column}`).toBe(place);
  });

  test("and every field that is wrong, each with its own words", () => {
    const { diagnostics } = read(
      "rules:\n  - id: A1\n    view: blurred\n    match: { pattern: a, any: [] }\n",
    );
    expect(diagnostics.map(({ message }) => message)).toEqual([
      '`rules.0.view` must be one of folded, raw, but is "blurred"',
      "`rules.0` has no `title`",
      "`rules.0` has no `severity`",
    ]);
  });

  test("and conditions do not nest without end", () => {
    expect(codes(rule(`    match: ${"{ not: ".repeat(20)}{ pattern: a }${" }".repeat(20)}\n`))).toContain(
      "rule-match",
    );
  });
});

test("the first text that a rule is to find is its example", () => {
  const { examples } = read(rule("    match: { pattern: a }\n    tests: { positive: [cat, bat] }\n"));
  expect([...examples.values()]).toEqual(["cat"]);
});

test("a pattern that makes other engines hang is read to its end", () => {
  const { analyse } = read(rule("    match: { pattern: '(a+)+$' }\n"));
  expect(analyse(makeSource(`${"a".repeat(50_000)}b`)).facts).toEqual([]);
});
