import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scope } from "../registry/skill.ts";
import { createEnablement, type SkillIdentity } from "./create-enablement.ts";
import type { LoadConfigOptions } from "./load-config.ts";
import { type ConfigPlace, createPlace } from "./testing/config-place.ts";

const bundled = skill("gh", "bundled");
const own = skill("pdf", "user");

describe("createEnablement", () => {
  test("a skill that nothing speaks about is enabled", () => {
    expect(ask(createPlace(), bundled)).toEqual({ enabled: true });
  });

  test("a disabled bundled skill names the file and line, and skills of other scopes are not meant", () => {
    const place = createPlace();
    place.user("skills:\n  disabledBundled:\n    - hello\n    - gh\n");
    expect(ask(place, bundled)).toEqual({
      enabled: false,
      reason: `disabled by skills.disabledBundled (${place.userFile}:4)`,
      by: { layer: "user", file: place.userFile, line: 4, key: "skills.disabledBundled" },
    });
    expect(ask(place, skill("gh", "user"))).toEqual({ enabled: true });
  });

  test("a list of enabled bundled skills leaves out the others, unless it is empty", () => {
    const place = createPlace();
    place.user("skills:\n  enabledBundled: [hello]\n");
    expect(ask(place, skill("hello", "bundled")).enabled).toBe(true);
    expect(ask(place, bundled).reason).toBe(`not in skills.enabledBundled (${place.userFile}:2)`);
    place.user("skills:\n  enabledBundled: []\n");
    expect(ask(place, bundled)).toEqual({ enabled: true });
  });

  test("in both lists, a bundled skill is disabled", () => {
    const place = createPlace();
    place.user("skills: { enabledBundled: [gh], disabledBundled: [gh] }");
    expect(ask(place, bundled).enabled).toBe(false);
  });

  test("a disabled plugin takes its skill or all skills of its bundle with it", () => {
    const place = createPlace();
    place.user(
      "skills:\n  plugins:\n    - { url: 'https://x/tools.git', enabled: false }\n    - { url: u, name: pdf }\n",
    );
    const reason = `disabled by skills.plugins (${place.userFile}:3)`;
    expect(ask(place, skill("tools", "plugin"))).toMatchObject({ enabled: false, reason });
    expect(ask(place, { ...skill("lint", "plugin"), qualifiedName: "tools:lint" })).toMatchObject({
      enabled: false,
      reason,
    });
    expect(ask(place, skill("pdf", "plugin")).enabled).toBe(true);
    expect(ask(place, skill("tools", "user")).enabled).toBe(true);
  });

  test("a denial with conditions hides a skill only where they leave nobody and no mode", () => {
    const place = createPlace();
    const rules = (...lines: readonly string[]): void =>
      place.user(`policy: { rules: [${lines.join(", ")}] }`);
    rules("{ skill: pdf, source: model, action: deny }");
    expect(ask(place, own)).toEqual({ enabled: true });
    rules("{ skill: pdf, action: deny }", "{ skill: pdf, source: user, mode: default, action: ask }");
    expect(ask(place, own)).toEqual({ enabled: true });
    rules("{ skill: pdf, source: user, action: ask }", "{ skill: pdf, action: deny }");
    expect(ask(place, own)).toMatchObject({ enabled: false, by: { key: "policy.rules" } });
    rules("{ tool: Bash, skill: pdf, action: deny }");
    expect(ask(place, own)).toEqual({ enabled: true });
  });

  test("a denial by origin is for skills of that origin", () => {
    const place = createPlace();
    place.user("policy:\n  rules:\n    - { origin: community, action: deny }\n");
    expect(ask(place, { ...own, origin: "community" })).toEqual({
      enabled: false,
      reason: `denied by policy (${place.userFile}:3)`,
      by: { layer: "user", file: place.userFile, line: 3, key: "policy.rules" },
    });
    expect(ask(place, { ...own, origin: "local" })).toEqual({ enabled: true });
    expect(ask(place, own)).toEqual({ enabled: true });
  });

  test("an override by folder goes before one by qualified name, and that before one by name", () => {
    const place = createPlace();
    place.user(`skills:
  overrides:
    pdf: { enabled: false }
    user:pdf: { enabled: true }
    ~/skills/special/pdf/SKILL.md: { enabled: false }
`);
    expect(ask(place, skill("pdf", "project"))).toMatchObject({ enabled: false, by: { line: 3 } });
    expect(ask(place, own)).toMatchObject({ enabled: true, by: { line: 4 } });
    const special = { ...own, directory: join(place.userHome, "skills/special/pdf") };
    expect(ask(place, special)).toMatchObject({ enabled: false, by: { line: 5 } });
  });

  test("names that only look like paths are names", () => {
    const place = createPlace();
    place.user("skills: { overrides: { parent/child: { enabled: false }, ./here: { enabled: false } } }");
    expect(ask(place, skill("parent/child", "user")).enabled).toBe(false);
    expect(ask(place, { ...own, directory: join(place.home, "here") }).enabled).toBe(false);
  });

  test("the strongest layer that speaks decides", () => {
    const place = createPlace();
    place.organisation("skills: { disabledBundled: [gh], overrides: { pdf: { enabled: false } } }");
    expect([ask(place, bundled).enabled, ask(place, own).enabled]).toEqual([false, false]);
    place.user("skills: { overrides: { bundled:gh: { enabled: true }, pdf: { enabled: true } } }");
    expect([ask(place, bundled).enabled, ask(place, own).enabled]).toEqual([true, true]);
    const environment = { SKILLET_DISABLED: "gh" };
    expect(ask(place, bundled, { environment }).reason).toBe("disabled by SKILLET_DISABLED");
    const flags = { skills: { overrides: { gh: { enabled: true } } } };
    expect(ask(place, bundled, { environment, flags }).enabled).toBe(true);
    const off = { skills: { overrides: { gh: { enabled: false } } } };
    expect(ask(place, bundled, { flags: off }).reason).toBe("disabled by skills.overrides (the flags)");
  });

  test("a project disables but never enables", () => {
    const place = createPlace();
    place.user("skills: { disabledBundled: [gh], overrides: { pdf: { enabled: false } } }");
    place.project(
      "skills: { enabledBundled: [gh], overrides: { pdf: { enabled: true }, mine: { enabled: false } } }",
    );
    const trusted = { projectTrusted: true };
    expect(ask(place, bundled, trusted).enabled).toBe(false);
    expect(ask(place, own, trusted).enabled).toBe(false);
    expect(ask(place, skill("hello", "bundled"), trusted).reason).toBe(
      `not in skills.enabledBundled (${place.projectFile}:1)`,
    );
    expect(ask(place, skill("mine", "user"), trusted).enabled).toBe(false);
    expect(ask(place, skill("mine", "user")).enabled).toBe(true);
  });

  test("letters written in composed and in decomposed form are the same name", () => {
    const place = createPlace();
    place.user(`skills: { overrides: { ${"é".normalize("NFD")}: { enabled: false } } }`);
    expect(ask(place, skill("é".normalize("NFC"), "user")).enabled).toBe(false);
  });
});

describe("policy", () => {
  test("a rule that denies stands against everything, and says where it is", () => {
    const place = createPlace();
    place.organisation("policy:\n  rules:\n    - { skill: pdf, action: deny }\n");
    place.user(
      "policy: { rules: [{ skill: pdf, action: allow }] }\nskills: { overrides: { pdf: { enabled: true } } }",
    );
    expect(ask(place, own)).toEqual({
      enabled: false,
      reason: `denied by policy (${place.organisationFile}:3)`,
      by: { layer: "organisation", file: place.organisationFile, line: 3, key: "policy.rules" },
    });
  });

  test("within one layer the last rule that fits decides, by name or qualified name", () => {
    const place = createPlace();
    place.user(`policy:
  rules:
    - { skill: "*", action: deny }
    - { skill: "user:*", action: allow }
    - { skill: "*secret*", action: deny }
    - { skill: user:top-secret-but-fine, action: ask }
    - { skill: gh, action: deny }
    - { skill: "g*", action: allow }
`);
    const outcome = (name: string, scope: Scope) => ask(place, skill(name, scope)).enabled;
    expect(outcome("x", "project")).toBe(false);
    expect(outcome("x", "user")).toBe(true);
    expect(outcome("my-secret", "user")).toBe(false);
    expect(outcome("top-secret-but-fine", "user")).toBe(true);
    expect(outcome("gh", "bundled")).toBe(true);
  });

  test("patterns fit as the equivalent regular expression does", () => {
    const place = createPlace();
    const letters = fc.stringMatching(/^[ab:]{0,8}$/);
    const pattern = fc
      .array(fc.constantFrom("a", "b", "*", "ab"), { minLength: 1, maxLength: 7 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(letters, pattern, (name, skillPattern) => {
        place.user(JSON.stringify({ policy: { rules: [{ skill: skillPattern, action: "deny" }] } }));
        const expression = new RegExp(`^${skillPattern.replaceAll("*", ".*")}$`);
        const names = [name, `user:${name}`];
        expect(ask(place, skill(name, "user")).enabled).toBe(!names.some((one) => expression.test(one)));
      }),
      { numRuns: 300 },
    );
  });
});

function skill(name: string, scope: Scope): SkillIdentity {
  return { name, scope, qualifiedName: `${scope}:${name}`, directory: `/skills/${name}` };
}

function ask(place: ConfigPlace, identity: SkillIdentity, options: Partial<LoadConfigOptions> = {}) {
  return createEnablement(place.load(options).layers)(identity);
}
