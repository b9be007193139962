import { expect, test } from "vitest";
import type { Library } from "../library/generate-library.ts";
import { checkResults } from "./check-results.ts";
import type { Skill, Snapshot } from "./product.ts";

const LIBRARY: Library = {
  root: "/library",
  skills: [
    { path: "/library/a/SKILL.md", declared: { name: "a", description: "Collects notes. Sorts them." } },
    { path: "/library/b/SKILL.md" },
  ],
  bytes: 100,
  mix: new Map(),
};

test("results that are all there and alike have no problems", () => {
  const found = snapshot(skill("a", "Collects notes.\nSorts them.\n"), skill("b", "anything"));
  expect(checkResults(LIBRARY, { cold: found, warm: found })).toEqual([]);
});

test("a missing skill, a wrong name and a lost description are problems", () => {
  const wrong = { ...skill("a", "Collects notes."), name: "z" };
  const found = snapshot(wrong);
  expect(checkResults(LIBRARY, { cold: found, warm: found })).toEqual([
    "cold discovery found 1 of 2 skills",
    "/library/a/SKILL.md is named z instead of a",
    "/library/a/SKILL.md lost its description: Collects notes.",
    "/library/b/SKILL.md was not found",
  ]);
});

test("a warm result that differs in one field of one skill is a problem", () => {
  const a = skill("a", "Collects notes. Sorts them.");
  const cold = snapshot(a, skill("b", "anything"));
  const warm = snapshot(a, { ...skill("b", "anything"), state: "disabled" });
  expect(checkResults(LIBRARY, { cold, warm })).toEqual(["/library/b/SKILL.md differs when warm"]);
});

test("a long list of problems is cut and counted", () => {
  const skills = Array.from({ length: 40 }, (_, index) => ({ path: `/library/${index}/SKILL.md` }));
  const found = snapshot();
  const problems = checkResults({ ...LIBRARY, skills }, { cold: found, warm: found });
  expect(problems.slice(-2)).toEqual(["/library/8/SKILL.md was not found", "and 31 more"]);
});

function snapshot(...skills: readonly Skill[]): Snapshot {
  return { version: "sha256:00", roots: [], skills, diagnostics: [] };
}

function skill(name: string, description: string): Skill {
  const path = `/library/${name}/SKILL.md`;
  return { name, path, state: "enabled", manifest: { description } } as Skill;
}
