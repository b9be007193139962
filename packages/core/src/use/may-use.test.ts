import { cutPath } from "@skillet/kit/glob";
import { describe, expect, test } from "vitest";
import { makeSkill, skillWithHeader } from "../catalog/testing/make-skill.ts";
import { createAllowList } from "../policy/decision.ts";
import type { Skill } from "../registry/skill.ts";
import {
  findObstacle,
  isObstacle,
  mayUse,
  obstacleText,
  scanOf,
  type UseFacts,
  type UseRules,
} from "./may-use.ts";

interface Asked extends Partial<Omit<UseRules, "isAllowed" | "hasScripts">> {
  readonly viewer?: "model" | "user";
  readonly files?: readonly string[];
  readonly allowed?: readonly string[];
  readonly hasScripts?: (skill: Skill) => boolean;
}

function factsOf({ viewer = "model", files, allowed = [], ...rules }: Asked): UseFacts {
  return {
    source: viewer,
    files: files?.map(cutPath),
    rules: {
      mode: "default",
      interactive: true,
      layers: [],
      hasScripts: () => false,
      product: undefined,
      ...rules,
      isAllowed: createAllowList(allowed),
    },
  };
}

/** Why a skill cannot be used; undefined when it can. */
function whyHidden(skill: Skill, asked: Asked = {}): { cause: string; reason: string } | undefined {
  const facts = factsOf(asked);
  const obstacle = findObstacle(skill, facts);
  expect(mayUse(skill, facts).obstacle).toEqual(obstacle);
  return obstacle && { cause: obstacle.cause, reason: obstacleText(skill, obstacle) };
}

test("every step has a reason, in one order", () => {
  const skill = makeSkill({ diagnostics: [{ code: "x", severity: "warning", message: "", file: "" }] });
  const { state, obstacle, reasons } = mayUse(skill, { shadows: ["user:pdf"], ...factsOf({}) });
  expect([state, obstacle]).toEqual(["enabled", undefined]);
  expect(reasons.map(({ step, outcome, reason }) => `${step} ${outcome}: ${reason}`)).toEqual([
    "found yes: among the user skills",
    "loaded yes: with 1 warning",
    "name kept: it comes before user:pdf",
    "enabled yes: no config disables it",
    "trusted yes: user skills need no trust",
    "scanned no: sessions scan only skills that they could offer",
    "available yes: nothing it needs is missing",
    "invocation model and user: as its header says",
    "policy yes: no rule mentions pdf",
    "budget not measured: about 31 tokens in the catalogue at full length",
  ]);
});

test("a skill without a header is not said to have one", () => {
  const skill = makeSkill({
    diagnostics: [{ code: "missing-frontmatter", severity: "warning", message: "", file: "" }],
  });
  expect(mayUse(skill).reasons.find(({ step }) => step === "invocation")).toMatchObject({
    reason: "it has no header that says otherwise",
  });
});

test("all that stands against a skill is listed, and the first of it decides", () => {
  const skill = makeSkill({
    scope: "project",
    state: "untrusted",
    reason: "the folder is not trusted",
    missing: [{ kind: "command", names: ["gh"], message: "missing commands: gh" }],
    manifest: { metadata: { mutates: true } },
  });
  const scan = { verdict: "dangerous", withheld: "EX1 at SKILL.md:8" };
  const { obstacle, reasons } = mayUse(skill, { ...factsOf({ mode: "plan" }), scan });
  expect(reasons.filter(isObstacle).map(({ step, cause }) => [step, cause])).toEqual([
    ["trusted", "state"],
    ["scanned", "verdict"],
    ["available", "state"],
    ["policy", "plan-mode"],
  ]);
  expect(obstacle).toEqual({
    step: "trusted",
    cause: "state",
    outcome: "no",
    reason: "the folder is not trusted",
  });
});

test("only what is enabled can be used", () => {
  expect(whyHidden(makeSkill())).toBeUndefined();
  for (const state of ["disabled", "unavailable", "untrusted", "shadowed"] as const) {
    const expected = { cause: "state", reason: `it is ${state}: because` };
    expect(whyHidden(makeSkill({ state, reason: "because" }))).toEqual(expected);
    expect(whyHidden(makeSkill({ state, reason: "because" }), { viewer: "user" })).toEqual(expected);
  }
});

test("a shadowed skill can be used by its full name, unless it lacks something", () => {
  const shadowed = makeSkill({ state: "shadowed", shadowedBy: "pdf" });
  const missing = [{ kind: "command", names: ["gh"], message: "missing commands: gh" }] as const;
  expect(findObstacle(shadowed)).toMatchObject({ step: "name", outcome: "shadowed" });
  expect(findObstacle(shadowed, { byFullName: true })).toBeUndefined();
  expect(findObstacle({ ...shadowed, missing }, { byFullName: true })?.step).toBe("available");
  expect(findObstacle(makeSkill({ state: "unavailable", missing }), { isSatisfied: true })).toBeUndefined();
});

test("a scan that withholds an enabled skill changes its state, and a vetter that gives no reason withholds too", () => {
  const vetting = { outcome: "withhold", verdict: "unknown", diagnostics: [] } as const;
  const use = mayUse(makeSkill(), { scan: scanOf(vetting) });
  expect(use).toMatchObject({
    state: "withheld",
    obstacle: { cause: "verdict", reason: "it was not scanned" },
  });
  const allowed = scanOf({ ...vetting, outcome: "allow", verdict: "safe" });
  expect(mayUse(makeSkill(), { scan: allowed }).state).toBe("enabled");
  expect(mayUse(makeSkill({ state: "disabled" }), { scan: scanOf(vetting) }).state).toBe("disabled");
});

test("files that differ from what was trusted are told, and an untrusted folder is an obstacle", () => {
  const trusted = (outcome: string) =>
    mayUse(makeSkill({ scope: "project" }), { trust: { outcome, reason: "its files changed" } }).reasons[4];
  expect(trusted("unchanged")).toMatchObject({ outcome: "yes", reason: "the project's folder is trusted" });
  expect(trusted("changed")).toMatchObject({
    outcome: "changed",
    reason: "the project's folder is trusted, but its files changed",
  });
  expect(trusted("untrusted")).toMatchObject({ cause: "state", outcome: "no", reason: "its files changed" });
});

test("operators are bound by modes, not by what a header says about who, what and where", () => {
  const skill = skillWithHeader("disable-model-invocation: true\nuser-invocable: false\npaths: '*.rs'");
  for (const source of ["preload", "parent"] as const) {
    expect(findObstacle(skill, { ...factsOf({ files: [] }), source })).toBeUndefined();
    const mutating = makeSkill({ manifest: { metadata: { mutates: true } } });
    expect(findObstacle(mutating, { ...factsOf({ mode: "plan" }), source })?.cause).toBe("plan-mode");
  }
});

test("a fork has what its parent passed on, for its parent and its model", () => {
  const [given, other] = [makeSkill(), makeSkill({ name: "other" })];
  const parent = { skills: new Set([given]) };
  expect(findObstacle(given, { parent })).toBeUndefined();
  expect(findObstacle(given, { parent, source: "user" })?.reason).toMatch(
    /from its parent and its model only/,
  );
  expect(findObstacle(other, { parent })?.reason).toBe("the parent did not pass it on");
});

test("who may invoke a skill may see it", () => {
  const forUsers = skillWithHeader("disable-model-invocation: true");
  const forModels = skillWithHeader("user-invocable: false");
  expect(whyHidden(forUsers)).toEqual({ cause: "invocation", reason: "only the user can invoke it" });
  expect(whyHidden(forUsers, { viewer: "user" })).toBeUndefined();
  expect(whyHidden(forModels)).toBeUndefined();
  expect(whyHidden(forModels, { viewer: "user" })).toEqual({
    cause: "invocation",
    reason: "the user cannot invoke it",
  });
});

describe("paths", () => {
  const skill = skillWithHeader("paths: src/**/*.{ts,tsx}, docs/*.md");

  test("a skill for certain files is offered to a model when one of them is in play", () => {
    expect(whyHidden(skill, { files: ["README.md", "src/a/b.tsx"] })).toBeUndefined();
    expect(whyHidden(skill, { files: ["README.md"] })).toEqual({
      cause: "paths",
      reason: "no file in play fits its paths: src/**/*.{ts,tsx}, docs/*.md",
    });
    expect(whyHidden(skill, { files: [] })?.cause).toBe("paths");
    expect(whyHidden(makeSkill(), { files: [] })).toBeUndefined();
  });

  test("a host that does not say which files are in play, and a user, see all of them", () => {
    expect(whyHidden(skill)).toBeUndefined();
    expect(whyHidden(skill, { files: [], viewer: "user" })).toBeUndefined();
  });

  test("patterns that cannot be compared hide the skill, with the reason", () => {
    const hostile = skillWithHeader(`paths: "${"{a,b}".repeat(20)}"`);
    expect(whyHidden(hostile, { files: ["a"] })).toEqual({
      cause: "paths",
      reason: "its paths are too many or too long to compare",
    });
    const many = skillWithHeader("paths: a, b, c, d, e");
    expect(whyHidden(many, { files: ["x"] })?.reason).toBe(
      "no file in play fits its paths: a, b, c and 2 more",
    );
  });
});

test("a skill for certain products is hidden from others, and from none where the host names no product", () => {
  const plain = makeSkill();
  const invocation = { ...plain.manifest.invocation, products: ["Codex", "atlas"] };
  const skill = makeSkill({ manifest: { invocation } });
  expect(whyHidden(skill, { product: "codex" })).toBeUndefined();
  expect(whyHidden(skill)).toBeUndefined();
  expect(whyHidden(plain, { product: "codex" })).toBeUndefined();
  expect(whyHidden(skill, { product: "ours", viewer: "user" })).toEqual({
    cause: "product",
    reason: "it is for Codex, atlas and not for ours",
  });
});

describe("plan mode", () => {
  const plan = (hasScripts: boolean): Asked => ({ mode: "plan", hasScripts: () => hasScripts });

  test.each(["true", "yes", '"On"', "1", '"TRUE"'])(
    "hides a skill that says that it mutates: %s",
    (value) => {
      expect(whyHidden(skillWithHeader(`metadata:\n  mutates: ${value}`), plan(false))).toEqual({
        cause: "plan-mode",
        reason: "nothing is changed in plan mode, and it says that it changes things",
      });
    },
  );

  test.each(["false", "no", "OFF", "0", '"0"'])(
    "believes a skill that says that it does not: %s",
    (value) => {
      const skill = skillWithHeader(`allowed-tools: Bash Write\nmetadata:\n  mutates: ${value}`);
      expect(whyHidden(skill, plan(true))).toBeUndefined();
    },
  );

  test.each([
    "Bash",
    "Bash(git status:*)",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit(*.ipynb)",
    "run_shell_command",
    "apply_patch",
    "mcp__files__write_file",
    "mcp__github__*",
    "*",
    "PowerShell",
    "str_replace_based_edit_tool",
  ])("hides a skill that asks for %s", (tool) => {
    expect(whyHidden(skillWithHeader(`allowed-tools: "Read ${tool}"`), plan(false))).toEqual({
      cause: "plan-mode",
      reason: `nothing is changed in plan mode, and it asks for the tool ${tool}`,
    });
  });

  test("shows skills that only read, and hides those with scripts", () => {
    const reader = skillWithHeader(
      "allowed-tools: Read Grep Glob WebFetch(domain:*) TodoWrite mcp__docs__search\nmetadata:\n  mutates: perhaps",
    );
    expect(whyHidden(reader, plan(false))).toBeUndefined();
    expect(whyHidden(reader, plan(true))?.reason).toBe("nothing is changed in plan mode, and it has scripts");
    expect(whyHidden(reader, { mode: "default" })).toBeUndefined();
  });

  test("holds for users too, and asks about scripts only where that decides", () => {
    const asked: string[] = [];
    const hasScripts = ({ name }: Skill): boolean => asked.push(name) > 0;
    const skills = [
      makeSkill({ name: "off", state: "disabled" }),
      makeSkill({ name: "declared", manifest: { metadata: { mutates: true } } }),
      makeSkill({ name: "asked" }),
    ];
    const facts = factsOf({ mode: "plan", viewer: "user", hasScripts });
    expect(skills.filter((skill) => findObstacle(skill, facts) === undefined)).toEqual([]);
    expect(asked).toEqual(["asked"]);
  });

  test("does not take a name that every object has for a declaration", () => {
    const metadata = Object.create({ mutates: false });
    expect(whyHidden(makeSkill({ manifest: { metadata } }), plan(true))?.cause).toBe("plan-mode");
  });
});

describe("locked mode", () => {
  const locked = (...allowed: string[]): Asked => ({ mode: "locked", allowed });
  const kit = makeSkill({ name: "pdf", qualifiedName: "kit:pdf" });

  test("has only what is allowed by name or pattern", () => {
    expect(whyHidden(makeSkill(), locked("notes", "pdf"))).toBeUndefined();
    expect(whyHidden(kit, locked("kit:*"))).toBeUndefined();
    expect(whyHidden(kit, locked("*:p*f"))).toBeUndefined();
    expect(whyHidden(makeSkill({ name: "café" }), locked("cafe\u0301"))).toBeUndefined();
    expect(whyHidden(makeSkill(), locked("pd", "p", "*x*"))).toEqual({
      cause: "locked-mode",
      reason: "locked mode loads only what a rule allows, and none allows pdf",
    });
  });

  test("has nothing when nothing is allowed", () => {
    expect(whyHidden(makeSkill(), { mode: "locked" })?.cause).toBe("locked-mode");
  });

  test("does not let a skill in by the bare name of another", () => {
    expect(whyHidden(kit, locked("pdf"))?.cause).toBe("locked-mode");
  });

  test("does not show what is hidden for another reason", () => {
    expect(whyHidden(skillWithHeader("disable-model-invocation: true"), locked("*"))?.cause).toBe(
      "invocation",
    );
  });
});
