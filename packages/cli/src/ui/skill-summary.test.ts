import { type Snapshot, tokenCost } from "@skillet/core";
import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { plainLayout } from "../testing/plain-layout.ts";
import { skillSummary } from "./skill-summary.ts";

const skills = [
  makeSkill({ name: "a" }),
  makeSkill({ name: "b" }),
  makeSkill({ name: "c", state: "disabled" }),
];
const snapshot: Snapshot = {
  version: `sha256:${"0".repeat(64)}`,
  roots: [],
  skills,
  diagnostics: [
    { code: "invalid-yaml", severity: "error", message: "", file: "/x/SKILL.md" },
    { code: "missing-description", severity: "error", message: "", file: "/x/SKILL.md" },
    { code: "too-deep", severity: "warning", message: "", file: "/y" },
  ],
};

test("the summary counts states and files that failed, and adds up what the catalogue costs", () => {
  const tokens = skills.slice(0, 2).reduce((sum, skill) => sum + tokenCost(skill).catalog, 0);
  expect(skillSummary(skills, snapshot, plainLayout())).toEqual([
    "3 skills: 2 enabled, 1 disabled; 1 failed to load",
    `The catalogue costs ~${tokens} tokens; each skill shows its share / once loaded.`,
  ]);
});

test("the summary says how many skills carry warnings, and where to read them", () => {
  const warning = { code: "missing-name", severity: "warning", message: "", file: "" } as const;
  const warned = [makeSkill({ name: "a", diagnostics: [warning, warning] }), makeSkill({ name: "b" })];
  const [headline] = skillSummary(warned, { ...snapshot, skills: warned, diagnostics: [] }, plainLayout(100));
  expect(headline).toBe("2 skills: 2 enabled; 1 with warnings (skillet explain NAME shows them)");
});

test("a filtered list says how many of how many", () => {
  expect(skillSummary(skills.slice(2), snapshot, plainLayout())).toEqual(["1 of 3 skills: 1 disabled"]);
});

test("a filter that nothing passes says so", () => {
  expect(skillSummary([], snapshot, plainLayout())).toEqual(["No skill matches (0 of 3 skills)."]);
});

test("what a scan keeps back is counted as withheld, and costs the catalogue nothing", () => {
  const [first, second, third] = skills;
  const verdicts = new Map([
    [first!, { verdict: "dangerous", withheld: "EX1 at SKILL.md:8" }],
    [second!, { verdict: "dangerous", approved: true }],
    [third!, { verdict: "dangerous", withheld: "EX1 at SKILL.md:8" }],
  ]);
  expect(skillSummary(skills, snapshot, { ...plainLayout(), verdicts })).toEqual([
    "3 skills: 1 enabled, 1 withheld, 1 disabled; 1 failed to load",
    `The catalogue costs ~${tokenCost(second!).catalog} tokens; each skill shows its share / once loaded.`,
  ]);
});
