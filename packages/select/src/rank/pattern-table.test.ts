import fc from "fast-check";
import { expect, test } from "vitest";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { loadRe2 } from "../text/load-re2.ts";
import {
  chooseFairly,
  estimateInstructions,
  MAX_INSTRUCTIONS,
  MAX_PATTERN_INSTRUCTIONS,
  PatternTable,
  type PlacedPattern,
} from "./pattern-table.ts";

const placed = (source: string, owner = "one"): PlacedPattern => ({
  skill: 0,
  owner,
  bringer: "local",
  source,
});

/** Which diagnostic the only pattern of a skill gets. */
function refusalOf(source: string): string | undefined {
  const { manifest, ...skill } = makeSkill(writeHeader("odd", "Odd."));
  const triggers = { ...manifest.triggers, patterns: [source] };
  const odd = { ...skill, manifest: { ...manifest, triggers } };
  return new PatternTable([placed(source, "odd")]).diagnose(odd, 0)[0]?.code;
}

test("all patterns of a library together have a bound, whatever each costs", () => {
  const patterns = Array.from({ length: 3_000 }, (_, index) => placed(`ticket-${index}`, `s${index}`));
  const { kept } = new PatternTable(patterns);
  const sum = kept.reduce((total, { source }) => total + estimateInstructions(source), 0);
  expect(sum).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
  expect(sum).toBeGreaterThan(MAX_INSTRUCTIONS * 0.9);
});

test("a pattern of many counted repeats is never compiled nor tried, and takes no room", () => {
  for (const repeats of [1, 4, 50]) {
    const source = `${Array.from({ length: repeats }, () => ".{0,999}").join("x")}\\d\\dz`;
    const table = new PatternTable([placed(source), placed("OPS-1")]);
    expect(table.kept.map((pattern) => pattern.source)).toEqual(["OPS-1"]);
    expect(refusalOf(source)).toBe("trigger-pattern-costly");
    expect(table.match(`${"x".repeat(50)}12z OPS-1`).length).toBe(1);
  }
});

test("only the beginning of a message is compared, less of it where there are many patterns", () => {
  const one = new PatternTable([placed("needle")]);
  expect(one.match(`${"x ".repeat(490)}needle`).length).toBe(1);
  expect(one.match(`${"x ".repeat(510)}needle`)).toEqual([]);
  const many = new PatternTable([
    ...Array.from({ length: 400 }, (_, index) => placed(`ticket-${index}`, `s${index}`)),
    placed("needle"),
  ]);
  expect(many.match(`${"x ".repeat(50)}needle`).length).toBe(1);
  expect(many.match(`${"x ".repeat(490)}needle`)).toEqual([]);
});

test("a pattern that cannot be tried and patterns beyond a bound are said, with what to do", () => {
  const declared = ["(?=x)y", "fine", ".{0,999}", ".", "a".repeat(501)];
  const lines = ["triggers:", "  patterns:", ...declared.map((source) => `    - ${JSON.stringify(source)}`)];
  const skill = makeSkill(writeHeader("odd", "Odd.", lines));
  const table = new PatternTable(declared.slice(0, 4).map((source) => placed(source, "odd")));
  const found = table.diagnose(skill, 0);
  expect(found.map(({ code, severity, file }) => ({ code, severity, file }))).toEqual(
    [
      "trigger-pattern-unreadable",
      "trigger-pattern-costly",
      "trigger-pattern-catch-all",
      "trigger-pattern-limit",
    ].map((code) => ({ code, severity: "warning", file: skill.path })),
  );
  expect(found[0]?.message).toContain('"(?=x)y" of odd');
  expect(found[1]?.message).toContain(`more than ${MAX_PATTERN_INSTRUCTIONS} instructions`);
  expect(found[3]?.message).toMatch(/^1 of the 5 trigger patterns of odd are not tried/);
  for (const { hint } of found) expect(hint).toBeTruthy();
});

test.each([
  "",
  ".",
  "\\w",
  "\\s",
  ".*",
  "(?s).+",
  "(?i)[a-z]",
  "E",
  "e|a|i|o",
  "^",
  "$",
  "\\b",
  ".{60}",
  "[^x]{9}",
  "\\b(can|could|please|what|how|my)\\b",
  "x*",
])("a pattern for everything, %s, is told", (source) => {
  expect(refusalOf(source)).toBe("trigger-pattern-catch-all");
});

test.each([
  "\\bOPS-[0-9]+\\b",
  "\\b(thanks|thank you)\\b",
  "^hello",
  "[0-9]{2}:[0-9]{2}",
  "\\bdeploy\\b.*\\bprod",
  "翻译",
])("a pattern for something, %s, is tried", (source) => {
  expect(refusalOf(source)).toBeUndefined();
});

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

const patternsOf = (owner: string, count: number, bringer = "local"): PlacedPattern[] =>
  Array.from({ length: count }, (_, index) => ({
    skill: 0,
    owner,
    bringer,
    source: `${owner}-${index}`,
  }));

const each = { costOf: () => 10, budget: 1_000 };

test("within a budget the first pattern of every skill comes before the second of any, whichever was indexed first", () => {
  const greedy = patternsOf("aaa", 1_000);
  const others = Array.from({ length: 60 }, (_, index) =>
    patternsOf(`s${String(index).padStart(3, "0")}`, 2),
  ).flat();
  const chosen = chooseFairly([...greedy, ...others], each);
  expect(chosen.length).toBe(100);
  expect(chosen.filter(({ source }) => /^s\d+-0$/.test(source)).length).toBe(60);
  expect(chosen.filter(({ owner }) => owner === "aaa").length).toBe(2);
  expect(chooseFairly([...others, ...greedy], each)).toEqual(chosen);
});

test("a plugin of a thousand skills takes no place from what others brought", () => {
  const flood = Array.from({ length: 1_000 }, (_, index) => patternsOf(`aaa-${index}`, 1, "flood")).flat();
  const victim = patternsOf("ticket-reader", 3);
  const chosen = chooseFairly([...flood, ...victim], each);
  expect(chosen.filter(({ owner }) => owner === "ticket-reader").length).toBe(3);
  expect(chosen.length).toBe(100);
});

test("who has costly patterns has fewer of them tried", () => {
  const costOf = (source: string): number => (source.startsWith("fat") ? 200 : 10);
  const fat = patternsOf("fat", 10, "one");
  const thin = patternsOf("thin", 10, "two");
  const chosen = chooseFairly([...fat, ...thin], { costOf, budget: 500 });
  expect(chosen.filter(({ owner }) => owner === "thin").length).toBe(10);
  expect(chosen.filter(({ owner }) => owner === "fat").length).toBe(2);
});
