import { describe, expect, test } from "vitest";
import type { Skill } from "../registry/skill.ts";
import { makeSkill, skillWithHeader } from "./testing/make-skill.ts";
import { type VisibilityFilter, visibleSkills } from "./visible-skills.ts";

/** Why a skill is hidden; undefined when it is not. */
function whyHidden(skill: Skill, filter?: VisibilityFilter): { cause: string; reason: string } | undefined {
  const { visible, hidden } = visibleSkills([skill], filter);
  const [entry] = hidden;
  expect(visible).toEqual(entry === undefined ? [skill] : []);
  return entry === undefined ? undefined : { cause: entry.cause, reason: entry.reason };
}

test("skills keep their order, and each hidden one has its reason", () => {
  const [first, second, third] = [
    makeSkill({ name: "a" }),
    makeSkill({ name: "b", state: "shadowed" }),
    makeSkill(),
  ];
  expect(visibleSkills([first!, second!, third!])).toEqual({
    visible: [first, third],
    hidden: [{ skill: second, cause: "state", reason: "it is shadowed" }],
  });
});

test("only what is enabled is seen", () => {
  expect(whyHidden(makeSkill())).toBeUndefined();
  for (const state of ["disabled", "unavailable", "untrusted", "shadowed"] as const) {
    const expected = { cause: "state", reason: `it is ${state}: because` };
    expect(whyHidden(makeSkill({ state, reason: "because" }))).toEqual(expected);
    expect(whyHidden(makeSkill({ state, reason: "because" }), { viewer: "user" })).toEqual(expected);
  }
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
  const plan = (hasScripts: boolean): VisibilityFilter => ({ mode: "plan", hasScripts: () => hasScripts });

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

  test("hides what nobody can tell", () => {
    expect(whyHidden(makeSkill(), { mode: "plan" })).toEqual({
      cause: "plan-mode",
      reason: "nothing is changed in plan mode, and nothing tells whether it has scripts",
    });
  });

  test("holds for users too, and asks about scripts only where that decides", () => {
    const asked: string[] = [];
    const hasScripts = ({ name }: Skill): boolean => asked.push(name) > 0;
    const skills = [
      makeSkill({ name: "off", state: "disabled" }),
      makeSkill({ name: "declared", manifest: { metadata: { mutates: true } } }),
      makeSkill({ name: "asked" }),
    ];
    const { visible } = visibleSkills(skills, { mode: "plan", viewer: "user", hasScripts });
    expect(visible).toEqual([]);
    expect(asked).toEqual(["asked"]);
  });

  test("does not take a name that every object has for a declaration", () => {
    const metadata = Object.create({ mutates: false });
    expect(whyHidden(makeSkill({ manifest: { metadata } }), plan(true))?.cause).toBe("plan-mode");
  });
});

describe("locked mode", () => {
  const locked = (...allowed: string[]): VisibilityFilter => ({ mode: "locked", allowed });
  const kit = makeSkill({ name: "pdf", qualifiedName: "kit:pdf" });

  test("has only what is allowed by name or pattern", () => {
    expect(whyHidden(makeSkill(), locked("notes", "pdf"))).toBeUndefined();
    expect(whyHidden(kit, locked("kit:*"))).toBeUndefined();
    expect(whyHidden(kit, locked("*:p*f"))).toBeUndefined();
    expect(whyHidden(makeSkill({ name: "café" }), locked("cafe\u0301"))).toBeUndefined();
    expect(whyHidden(makeSkill(), locked("pd", "p", "*x*"))).toEqual({
      cause: "locked-mode",
      reason: "locked mode has only what is explicitly allowed",
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
