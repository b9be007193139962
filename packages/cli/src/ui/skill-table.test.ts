import type { Skill } from "@skillet/core";
import { AGENTS } from "@skillet/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { plainLayout } from "../testing/plain-layout.ts";
import { type Readers, rulesOf, type SkillFacts } from "./skill-state.ts";
import { attentionList, type SkillTableOptions, skillTable } from "./skill-table.ts";
import { displayWidth } from "./text.ts";

const readers = (...ids: readonly string[]): Readers => ({
  loading: AGENTS.filter(({ id }) => ids.includes(id)),
  unsure: [],
  switchedOff: [],
  refusedBy: [],
  sharing: [],
});

function options(
  width: number,
  facts: Readonly<Record<string, SkillFacts>> = {},
  known: readonly Skill[] = [],
) {
  const config = { config: { policy: { mode: "default" } }, layers: [] };
  return {
    ...plainLayout(width),
    readersOf: ({ name }) => (name === "alone" ? readers() : readers("claude-code", "codex")),
    verdicts: new Map(known.flatMap((skill) => (facts[skill.name] ? [[skill, facts[skill.name]!]] : []))),
    rules: rulesOf({ config } as unknown as Parameters<typeof rulesOf>[0]),
  } satisfies SkillTableOptions;
}

const missing = [{ kind: "command" as const, names: ["gh"], message: "missing commands: gh" }];
const SKILLS = [
  makeSkill({
    name: "pdf",
    manifest: { description: "Fills in PDF forms, and flattens those that are done." },
  }),
  makeSkill({ name: "steal" }),
  makeSkill({ name: "alone", state: "unavailable", missing }),
  makeSkill({ name: "off", state: "disabled" }),
  makeSkill({ name: "new" }),
];
const FACTS = { pdf: { verdict: "safe" }, steal: { verdict: "dangerous", withheld: "EX1 at SKILL.md:8" } };
const table = (width: number): string[] =>
  skillTable([{ title: "[User Skills]", members: SKILLS }], options(width, FACTS, SKILLS)).map((line) =>
    line.replace(/\d+ \/ \d+/, (tokens) => "NN / 100".padStart(tokens.length)),
  );

test("a line a skill, with headings, over the whole width", () => {
  expect(table(80)).toEqual([
    "  NAME   READ BY             STATUS         TOKENS  DESCRIPTION",
    "✓ pdf    claude-code, codex  safe         NN / 100  Fills in PDF forms, and fla…",
    "✗ steal  claude-code, codex  dangerous    NN / 100  Fills in forms.",
    "✗ alone  -                   unavailable  NN / 100  Fills in forms.",
    "○ off    claude-code, codex  disabled     NN / 100  Fills in forms.",
    "? new    claude-code, codex  not scanned  NN / 100  Fills in forms.",
  ]);
  expect(table(120)[1]).toContain("Fills in PDF forms, and flattens those that are done.");
});

test("on a narrow screen a column goes for all rows, and never for some", () => {
  expect(table(40)).toEqual([
    "  NAME   READ BY             STATUS",
    "✓ pdf    claude-code, codex  safe",
    "✗ steal  claude-code, codex  dangerous",
    "✗ alone  -                   unavailable",
    "○ off    claude-code, codex  disabled",
    "? new    claude-code, codex  not scanned",
  ]);
  expect(table(26).slice(0, 2)).toEqual(["  NAME   STATUS", "✓ pdf    safe"]);
});

test("who reads a skill is told on a narrow screen too, the first by name and the others counted", () => {
  const [heading, pdf] = table(36);
  expect(heading).toMatch(/NAME +READ BY +STATUS/);
  expect(pdf).toMatch(/^✓ pdf +claude-\S* \+1 +safe$/);
});

test("groups have titles where there are several, and many agents are counted", () => {
  const [first, second] = SKILLS;
  const groups = [
    { title: "[Project Skills]", members: [first!] },
    { title: "[User Skills]", members: [second!] },
  ];
  const readersOf = () => readers("claude-code", "codex", "cursor", "amp");
  const lines = skillTable(groups, { ...options(80), readersOf });
  expect(lines.map((line) => line.slice(0, 20).trimEnd())).toEqual([
    "  NAME   READ BY  ST",
    "[Project Skills]",
    "? pdf    amp +3   no",
    "[User Skills]",
    "? steal  amp +3   no",
  ]);
});

test("a skill that every agent has switched off is not shown as fine", () => {
  const readersOf = () => ({ ...readers(), switchedOff: readers("codex").loading });
  const row = skillTable([{ title: "", members: SKILLS }], { ...options(80, FACTS, SKILLS), readersOf })[1];
  expect(row).toMatch(/^○ pdf +off /);
});

test("a template that is not filled in needs a look", () => {
  const description = "Helps with x (TODO: say how, in words people type). Use when asked for x.";
  const skill = makeSkill({ name: "x", manifest: { description } });
  expect(attentionList([skill], options(80, { x: { verdict: "safe" } }, [skill]))[1]).toContain(
    "x: still a template, with TODO in its description",
  );
});

test("what needs a look is listed with why and what to type, the worst first", () => {
  expect(attentionList(SKILLS, options(80, FACTS, SKILLS))).toEqual([
    "[Needs a look]",
    "  ✗ steal: EX1 at SKILL.md:8",
    "    skillet explain steal",
    "    Claude Code and Codex still load it. To stop that:",
    "    skillet disable steal",
    "  ✗ alone: missing commands: gh",
    "    skillet explain alone",
    "  ○ off: disabled",
    "    skillet explain off",
    "    Claude Code and Codex still load it. To stop that:",
    "    see `skillet disable off --dry-run`",
    "  ? 1 skill not scanned yet. To scan: skillet scan --all",
  ]);
  expect(attentionList(SKILLS.slice(0, 1), options(80, FACTS, SKILLS))).toEqual([]);
});

test("no line is wider than the screen or carries a control character, and names stay whole", () => {
  const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary", maxLength: 300 }));
  fc.assert(
    fc.property(text, text, fc.integer({ min: 30, max: 140 }), (name, description, columns) => {
      const skill = makeSkill({ name, manifest: { description } });
      const lines = skillTable([{ title: "", members: [skill, SKILLS[0]!] }], options(columns));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      return lines.every((line) => displayWidth(line) <= columns && !/[\0-\x1f\x7f-\x9f]/.test(line));
    }),
  );
  const name = "a-name-of-more-than-forty-characters-which-people-type";
  expect(skillTable([{ title: "", members: [makeSkill({ name })] }], options(60))[1]).toBe(`? ${name}`);
});
