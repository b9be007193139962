import type { Skill, Skills, Vetting } from "@skillet/core";
import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { decisions } from "./decisions.ts";
import { requirementRows } from "./explanation.ts";

const registry = (skill: Skill, trusted = true): Skills =>
  ({
    snapshot: {
      skills: [skill],
      roots: [
        {
          scope: skill.scope,
          path: "",
          sourceId: skill.source.id,
          state: "scanned",
          trusted,
          skills: 1,
          failed: 0,
        },
      ],
    },
  }) as unknown as Skills;

const UNNEEDED = { outcome: "unneeded", reason: "it belongs to no project" } as const;
const SAFE: Vetting = { outcome: "allow", verdict: "safe", diagnostics: [] };
const facts = { shadows: [], trust: UNNEEDED, vetting: SAFE };

const outcomes = (skill: Skill, trusted = true): Record<string, string> =>
  Object.fromEntries(
    decisions(skill, registry(skill, trusted), facts).map(({ what, outcome }) => [what, outcome]),
  );

const FINE = {
  found: "yes",
  loaded: "yes",
  name: "kept",
  enabled: "yes",
  trusted: "yes",
  scanned: "safe",
  available: "yes",
  invocation: "model and user",
  offered: "yes",
};

test("a skill that is offered passed every step", () => {
  expect(outcomes(makeSkill())).toEqual(FINE);
});

test("a disabled skill names what disabled it", () => {
  const skill = makeSkill({ state: "disabled", reason: "disabled by skills.overrides (config.yaml:3)" });
  expect(outcomes(skill)).toEqual({ ...FINE, enabled: "no", offered: "no" });
  expect(decisions(skill, registry(skill), facts).at(-1)).toEqual({
    what: "offered",
    outcome: "no",
    reason: "disabled by skills.overrides (config.yaml:3)",
  });
});

test("a skill that lacks something says what, also when it is untrusted", () => {
  const skill = makeSkill({
    scope: "project",
    state: "untrusted",
    reason: "the folder is not trusted",
    missing: [{ kind: "command", names: ["gh", "jq"], message: "missing commands: gh, jq" }],
  });
  expect(outcomes(skill, false)).toEqual({ ...FINE, trusted: "no", available: "no", offered: "no" });
});

test.each<[string, Vetting | undefined, string, string, string]>([
  ["nothing speaks against", SAFE, "safe", "no findings", "yes"],
  [
    "asks for caution",
    {
      outcome: "allow",
      verdict: "caution",
      diagnostics: [
        { code: "scan-caution", severity: "warning", message: "The scan asks for caution.", file: "x" },
      ],
    },
    "caution",
    "the scan asks for caution",
    "yes",
  ],
  [
    "is held back",
    { outcome: "withhold", verdict: "dangerous", reason: "EX1 at SKILL.md:8", diagnostics: [] },
    "dangerous",
    "EX1 at SKILL.md:8",
    "no",
  ],
  ["was not scanned", undefined, "no", "only what could be offered is scanned by itself", "yes"],
])("a skill that %s says what the scan says", (_what, vetting, outcome, reason, offered) => {
  const skill = makeSkill();
  const rows = decisions(skill, registry(skill), { ...facts, vetting });
  expect(rows.find(({ what }) => what === "scanned")).toEqual({ what: "scanned", outcome, reason });
  expect(rows.at(-1)?.outcome).toBe(offered);
});

test("a trusted skill whose files are others now says so", () => {
  const skill = makeSkill({ scope: "project" });
  const trustOf = (outcome: "unchanged" | "changed"): string | undefined =>
    decisions(skill, registry(skill), { shadows: [], trust: { outcome, reason: "its files changed" } }).find(
      ({ what }) => what === "trusted",
    )?.reason;
  expect(trustOf("unchanged")).toBe("the project's folder is trusted");
  expect(trustOf("changed")).toBe("the project's folder is trusted, but its files changed");
});

test("a shadowed skill names the winner", () => {
  const skill = makeSkill({
    qualifiedName: "user:pdf",
    state: "shadowed",
    shadowedBy: "pdf",
    reason: "shadowed",
  });
  expect(outcomes(skill)).toEqual({ ...FINE, name: "shadowed", offered: "no" });
});

test("a skill for people only is not offered to models", () => {
  const invocation = { model: false, user: true, paths: [], products: [], internal: false };
  expect(outcomes(makeSkill({ manifest: { invocation } }))).toEqual({
    ...FINE,
    invocation: "user only",
    offered: "no",
  });
});

test("requirements are met unless they are missing", () => {
  const skill = makeSkill({
    missing: [
      { kind: "command", names: ["gh"], message: "missing commands: gh" },
      { kind: "any-command", names: ["rg", "ag"], message: "needs one of the commands: rg, ag" },
    ],
  });
  const gating = {
    ...skill.manifest.gating,
    bins: ["git", "gh"],
    anyBins: ["rg", "ag"],
    env: [{ name: "TOKEN" }, { name: "X", optional: true }],
  };
  expect(requirementRows({ ...skill, manifest: { ...skill.manifest, gating } })).toEqual([
    { kind: "command", names: ["git"], met: true },
    { kind: "command", names: ["gh"], met: false, message: "missing commands: gh" },
    { kind: "any-command", names: ["rg", "ag"], met: false, message: "needs one of the commands: rg, ag" },
    { kind: "environment", names: ["TOKEN"], met: true },
  ]);
});
