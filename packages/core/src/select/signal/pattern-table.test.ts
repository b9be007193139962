import { expect, test } from "vitest";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import type { PlacedPattern } from "./choose-fairly.ts";
import { diagnosePatterns } from "./diagnose-patterns.ts";
import { estimateInstructions } from "./estimate-instructions.ts";
import { MAX_INSTRUCTIONS, MAX_PATTERN_INSTRUCTIONS, PatternTable } from "./pattern-table.ts";

const placed = (source: string, owner = "one"): PlacedPattern => ({
  place: 0,
  skill: 0,
  owner,
  bringer: "local",
  source,
});

test("all patterns of a library together have a bound, whatever each costs", () => {
  const patterns = Array.from({ length: 3_000 }, (_, index) => placed(`ticket-${index}`, `s${index}`));
  const { kept } = new PatternTable(patterns);
  const sum = kept.reduce((total, { source }) => total + estimateInstructions(source), 0);
  expect(sum).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
  expect(sum).toBeGreaterThan(MAX_INSTRUCTIONS * 0.9);
});

test("a pattern of many counted repeats is never compiled nor tried, and takes no room", () => {
  for (const repeats of [1, 4, 60]) {
    const source = `${Array.from({ length: repeats }, () => ".{0,999}").join("x")}\\d\\dz`;
    const table = new PatternTable([placed(source), placed("OPS-1")]);
    expect(table.kept.map((pattern) => pattern.source)).toEqual(["OPS-1"]);
    expect(table.verdictOf(source)).toBe("costly");
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
  const found = diagnosePatterns(
    skill,
    table.kept.map(({ source }) => source),
    table,
  );
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
