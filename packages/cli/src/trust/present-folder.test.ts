import type { Scope, Snapshot } from "@skillet/core";
import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { type JudgedSkill, takenNames, trustQuestion } from "./present-folder.ts";

const place = (id: string) => ({ source: { id, folder: "", file: "SKILL.md" } });
const mine = makeSkill({ name: "pdf", ...place("user") });
const theirs = makeSkill({
  name: "pdf",
  qualifiedName: "project:pdf",
  scope: "project",
  state: "untrusted",
  ...place("project"),
});

function taken(skills: Snapshot["skills"], precedence: readonly Scope[] = ["project", "claude", "user"]) {
  const roots = precedence.map((scope) => ({
    scope,
    path: `/${scope}`,
    sourceId: scope,
    trusted: true,
    skills: 1,
    failed: 0,
    state: "scanned" as const,
  }));
  const snapshot: Snapshot = { version: "sha256:", roots, skills, diagnostics: [] };
  return takenNames(
    snapshot,
    skills.filter(({ scope }) => scope !== "user"),
  );
}

test("a project's skill takes the name of one of lower precedence", () => {
  expect(taken([mine, theirs])).toEqual([{ taker: theirs, owner: mine }]);
});

test("what comes before the project keeps its name", () => {
  expect(taken([mine, theirs], ["user", "project"])).toEqual([]);
});

test("a skill that is not offered has no name to lose", () => {
  expect(taken([{ ...mine, state: "disabled" }, theirs])).toEqual([]);
});

test("of several in the project the one of highest precedence takes it, and only one that waits for trust", () => {
  const second = { ...theirs, qualifiedName: "claude:pdf", scope: "claude" as const, ...place("claude") };
  expect(taken([mine, second, theirs])).toEqual([{ taker: theirs, owner: mine }]);
  expect(taken([mine, { ...theirs, state: "disabled" as const }])).toEqual([]);
});

const judged = (known: Partial<JudgedSkill>): JudgedSkill => ({
  skill: makeSkill({}),
  verdict: "safe",
  findings: [],
  ...known,
});
const APPROVED = judged({ verdict: "dangerous", approved: true });
const CAUTION = judged({ verdict: "caution" });
const WITHHELD = judged({ verdict: "dangerous", withheld: "EX1 at SKILL.md:8" });

test.each([
  [[judged({})], "Trust this folder?"],
  [[CAUTION], "1 skill asks for caution. Trust this folder anyway?"],
  [[APPROVED], "1 skill is dangerous and was approved earlier. Trust this folder anyway?"],
  [
    [WITHHELD, APPROVED, APPROVED, CAUTION],
    "1 skill stays withheld, 2 skills are dangerous and were approved earlier, 1 skill asks for caution. Trust this folder anyway?",
  ],
])("the question says what speaks against the folder (%#)", (skills, question) => {
  expect(trustQuestion(skills)).toBe(question);
});
