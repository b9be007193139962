import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  POLICY_ACTIONS,
  POLICY_MODES,
  POLICY_SOURCES,
  type PolicyMode,
  type PolicySource,
} from "../config/config.ts";
import { type ConfigPlace, createPlace } from "../config/testing/config-place.ts";
import type { Skill } from "../registry/skill.ts";
import { type Decision, decideActivation } from "./decision.ts";

const pdf = { name: "pdf", qualifiedName: "user:pdf", scope: "user", origin: "local" } as const;

interface Options {
  readonly skill?: Pick<Skill, "name" | "qualifiedName" | "scope" | "origin">;
  readonly source?: PolicySource;
  readonly mode?: PolicyMode;
  readonly interactive?: boolean;
  readonly named?: boolean;
}

function decide(place: ConfigPlace, options: Options = {}): Decision {
  const { layers } = place.load({ projectTrusted: true });
  return decideActivation({
    skill: pdf,
    source: "model",
    mode: "default",
    interactive: true,
    ...options,
    layers,
  });
}

describe("without a rule", () => {
  test("a skill may be loaded by anyone", () => {
    for (const source of POLICY_SOURCES)
      expect(decide(createPlace(), { source, interactive: false })).toEqual({
        outcome: "allow",
        reason: "no rule mentions user:pdf",
      });
  });

  test("what was named is loaded in locked mode, unless a rule denies or asks", () => {
    const place = createPlace();
    expect(decide(place, { mode: "locked", named: true }).outcome).toBe("allow");
    place.user("policy: { rules: [{ skill: pdf, mode: locked, action: ask }] }");
    expect(decide(place, { mode: "locked", named: true }).outcome).toBe("deny");
  });

  test("nothing else is loaded in locked mode", () => {
    for (const source of POLICY_SOURCES)
      expect(decide(createPlace(), { source, mode: "locked" })).toEqual({
        outcome: "deny",
        reason: "locked mode loads only what a rule allows, and none allows user:pdf",
      });
  });
});

describe("a rule", () => {
  test("names itself and where it stands", () => {
    const place = createPlace();
    place.user(
      'policy:\n  rules:\n    - { skill: "p*", origin: local, source: model, mode: default, action: deny }\n',
    );
    expect(decide(place)).toEqual({
      outcome: "deny",
      reason: "a rule denies user:pdf",
      rule: `{ skill: "p*", origin: local, mode: default, source: model, action: deny } in ${place.userFile}:3`,
    });
  });

  test.each([
    ["skill: pdf", {}],
    ["skill: user:pdf", {}],
    ['skill: "*:pdf"', {}],
    ["origin: local", {}],
    ["source: parent", { source: "parent" }],
    ["mode: plan", { mode: "plan" }],
  ] as const)("with %s fits what it selects and nothing else", (selector, options: Options) => {
    const place = createPlace();
    place.user(`policy: { rules: [{ ${selector}, action: deny }] }`);
    expect(decide(place, options).outcome).toBe("deny");
    const other = { name: "gh", qualifiedName: "gh", scope: "bundled", origin: "builtin" } as const;
    expect(decide(place, { skill: other, source: "model", mode: "default" }).outcome).toBe("allow");
  });

  test("that names a tool says nothing about loading", () => {
    const place = createPlace();
    place.user("policy: { rules: [{ skill: pdf, tool: Bash, action: deny }] }");
    expect(decide(place).outcome).toBe("allow");
  });

  test("that allows opens locked mode for what it selects", () => {
    const place = createPlace();
    place.user("policy: { rules: [{ skill: pdf, action: allow }] }");
    expect(decide(place, { mode: "locked", interactive: false })).toMatchObject({ outcome: "allow" });
    expect(
      decide(place, { mode: "locked", skill: { ...pdf, name: "gh", qualifiedName: "gh" } }).outcome,
    ).toBe("deny");
  });
});

describe("a rule that asks", () => {
  const asking = (rule: string): ConfigPlace => {
    const place = createPlace();
    place.user(`policy: { rules: [{ ${rule}, action: ask }] }`);
    return place;
  };

  test("is a question for a model and a parent, and none for who named the skill", () => {
    const outcomes = (options: Options) =>
      POLICY_SOURCES.map((source) => decide(asking("skill: pdf"), { ...options, source }).outcome);
    expect(POLICY_SOURCES).toEqual(["model", "user", "preload", "parent"]);
    expect(outcomes({})).toEqual(["ask", "allow", "allow", "ask"]);
    expect(outcomes({ interactive: false })).toEqual(["deny", "allow", "allow", "deny"]);
    expect(outcomes({ mode: "locked" })).toEqual(["deny", "deny", "deny", "deny"]);
  });

  test("is a question for users when it names them", () => {
    expect(decide(asking("skill: pdf, source: user"), { source: "user" }).outcome).toBe("ask");
    expect(decide(asking("skill: pdf, source: user"), { source: "model" }).outcome).toBe("allow");
  });

  test("says why there is no question", () => {
    expect(decide(asking("skill: pdf"), { interactive: false }).reason).toBe(
      "a rule asks about user:pdf; there is no one to ask",
    );
    expect(decide(asking("skill: pdf"), { mode: "locked" }).reason).toBe(
      "a rule asks about user:pdf; locked mode asks no questions",
    );
  });
});

describe("several rules", () => {
  test("within a layer the last that fits decides", () => {
    const place = createPlace();
    place.user(
      "policy: { rules: [{ skill: '*', action: deny }, { skill: pdf, source: user, action: allow }] }",
    );
    expect(decide(place, { source: "user" }).outcome).toBe("allow");
    expect(decide(place, { source: "model" }).outcome).toBe("deny");
  });

  test("across layers the strictest decides, so a project can only tighten", () => {
    const place = createPlace();
    place.organisation("policy: { rules: [{ skill: pdf, action: ask }] }");
    place.user("policy: { rules: [{ skill: pdf, action: allow }] }");
    expect(decide(place).outcome).toBe("ask");
    place.project("policy: { rules: [{ skill: pdf, action: deny }] }");
    expect(decide(place)).toMatchObject({
      outcome: "deny",
      rule: expect.stringContaining(place.projectFile),
    });
  });

  test("whatever a project says, the outcome is never looser than without it", () => {
    const rule = fc.record(
      {
        skill: fc.constantFrom("pdf", "*", "user:*", "gh"),
        origin: fc.constantFrom("local", "community"),
        source: fc.constantFrom(...POLICY_SOURCES),
        mode: fc.constantFrom(...POLICY_MODES),
        action: fc.constantFrom(...POLICY_ACTIONS),
      },
      { requiredKeys: ["skill", "action"] },
    );
    const rules = fc.array(rule, { maxLength: 4 });
    const rank = ({ outcome }: Decision): number => POLICY_ACTIONS.indexOf(outcome);
    const place = createPlace();
    fc.assert(
      fc.property(
        rules,
        rules,
        fc.constantFrom(...POLICY_SOURCES),
        fc.constantFrom(...POLICY_MODES),
        (own, theirs, source, mode) => {
          place.user(JSON.stringify({ policy: { rules: own } }));
          place.project("{}");
          const before = decide(place, { source, mode });
          place.project(JSON.stringify({ policy: { rules: theirs } }));
          expect(rank(decide(place, { source, mode }))).toBeGreaterThanOrEqual(rank(before));
        },
      ),
      { numRuns: 60 },
    );
  });
});
