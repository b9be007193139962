import type { Snapshot } from "@skillet/core";
import { createCatalog } from "@skillet/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { plainLayout } from "../testing/plain-layout.ts";
import { type SkillListOptions, skillList, skillSummary } from "./skill-list.ts";
import { displayWidth } from "./text.ts";

const options = (width: number): SkillListOptions => ({
  ...plainLayout(width),
  scopes: ["project", "user", "bundled"],
});

/** Without the lines that have the path and the cost. */
const listed = (skills: Parameters<typeof skillList>[0], given: SkillListOptions): string[] =>
  skillList(skills, given).filter(
    (line) => !/^ {6}(?:~\/|(?:.*\/)?SKILL\.md$|~\d+ \/ ~\d+ tokens$)/.test(line),
  );

describe("skillList", () => {
  test("groups stand in order of precedence, and each state has its mark", () => {
    const skills = [
      makeSkill({ name: "a", scope: "bundled" }),
      makeSkill({ name: "b", state: "disabled", reason: "disabled by skills.overrides (config.yaml:3)" }),
      makeSkill({
        name: "c",
        state: "unavailable",
        reason: "missing commands: gh",
        missing: [{ kind: "command", names: ["gh"], message: "missing commands: gh" }],
      }),
      makeSkill({ name: "d", scope: "project", state: "untrusted", reason: "run: skillet trust" }),
      makeSkill({
        name: "a",
        qualifiedName: "user:a",
        state: "shadowed",
        reason: "the name belongs to a",
        shadowedBy: "a",
      }),
    ];
    expect(listed(skills, options(60))).toEqual([
      "[Project Skills]",
      "  ! d  untrusted",
      "      Fills in forms.",
      "",
      "[User Skills]",
      "  ! user:a  shadowed",
      "      Fills in forms.",
      "      the name belongs to a",
      "  ○ b  disabled",
      "      Fills in forms.",
      "      disabled by skills.overrides (config.yaml:3)",
      "      to enable it: skillet enable b",
      "  ✗ c  unavailable",
      "      Fills in forms.",
      "      missing commands: gh",
      "",
      "[Bundled Skills]",
      "  ✓ a",
      "      Fills in forms.",
    ]);
  });

  test("a verdict stands below the name with the cost, and what is held back says why", () => {
    const [fine, bad, approved] = ["fine", "bad", "approved"].map((name) => makeSkill({ name }));
    const verdicts = new Map([
      [fine!, { verdict: "safe" }],
      [bad!, { verdict: "dangerous", withheld: "EX1 at SKILL.md:8" }],
      [approved!, { verdict: "dangerous", approved: true }],
    ]);
    const list = skillList([fine!, bad!, approved!, makeSkill({ name: "other" })], {
      ...options(60),
      verdicts,
    })
      .filter((line) => !/Fills in forms|~\/.skillet/.test(line))
      .map((line) => line.replace(/~\d+ \//, "~NN /"));
    expect(list).toEqual([
      "[User Skills]",
      "  ✓ approved",
      "      dangerous, approved, ~NN / ~100 tokens",
      "  ✗ bad  withheld",
      "      dangerous, ~NN / ~100 tokens",
      "      not offered: EX1 at SKILL.md:8",
      "      what was found: skillet explain bad",
      "  ✓ fine",
      "      safe, ~NN / ~100 tokens",
      "  ? other  not scanned yet",
      "      ~NN / ~100 tokens",
    ]);
  });

  test("copies and different skills of the same name are named", () => {
    const twin = makeSkill({ name: "pdf", qualifiedName: "user:pdf", path: "/gemini/pdf/SKILL.md" });
    const digest = `sha256:${"1".repeat(64)}` as const;
    const skill = makeSkill({ name: "pdf", digest, alsoAt: ["/codex/pdf/SKILL.md"] });
    const list = skillList([skill], { ...options(80), namesakesOf: () => [twin] });
    expect(list).toContain("      the same at /codex/pdf/SKILL.md");
    expect(list).toContain("      /gemini/pdf/SKILL.md differs: skillet show user:pdf");
  });

  test("commands and skills that only a person may start say so", () => {
    const invocation = { model: false, user: true, paths: [], products: [], internal: false };
    const skills = [
      makeSkill({ name: "release", scope: "bundled", kind: "command", manifest: { invocation } }),
      makeSkill({ name: "manual", scope: "bundled", manifest: { invocation } }),
    ];
    const titles = listed(skills, options(60)).filter((line) => line.startsWith("  ✓"));
    expect(titles).toEqual(["  ✓ manual  only by you", "  ✓ release  command"]);
  });

  test("a skill that was read past its faults says how many there are", () => {
    const warning = { code: "missing-name", severity: "warning", message: "", file: "" } as const;
    const skills = [
      makeSkill({ name: "one", scope: "bundled", diagnostics: [warning, { ...warning, severity: "info" }] }),
      makeSkill({ name: "two", scope: "bundled", state: "disabled", diagnostics: [warning, warning] }),
      makeSkill({ name: "shadow", scope: "bundled", diagnostics: [{ ...warning, code: "name-conflict" }] }),
    ];
    const titles = listed(skills, options(60)).filter((line) => /^ {2}[✓○]/.test(line));
    expect(titles).toEqual(["  ✓ one  1 warning", "  ✓ shadow", "  ○ two  disabled, 2 warnings"]);
  });

  test("on a narrow screen tags get a line, and only what is too wide is broken", () => {
    const title = (name: string): string[] => {
      const lines = skillList([makeSkill({ name, state: "unavailable" })], options(30));
      return lines.slice(1, lines.indexOf("      Fills in forms.") - 1);
    };
    expect(title("pdf")).toEqual(["  ✗ pdf  unavailable"]);
    expect(title("debug-failing-test")).toEqual(["  ✗ debug-failing-test", "      unavailable"]);
    expect(title("a-name-that-is-wider-than-the-screen")).toEqual([
      "  ✗ a-name-that-is-wider-than-",
      "    the-screen",
      "      unavailable",
    ]);
  });

  test("the path and the whole description are shown", () => {
    const skill = makeSkill({ manifest: { description: "word ".repeat(60) } });
    const long = skillList([skill], options(60));
    expect(long.join(" ").match(/word/g)).toHaveLength(60);
    expect(long.at(-1)).toBe("      ~/.skillet/skills/pdf/SKILL.md");
  });

  test("no line of any skill is wider than the screen or carries a control character", () => {
    const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary", maxLength: 300 }));
    const width = fc.integer({ min: 24, max: 140 });
    fc.assert(
      fc.property(text, text, text, width, (name, description, reason, columns) => {
        const skill = makeSkill({
          name,
          qualifiedName: `user:${name}`,
          state: "shadowed",
          reason,
          manifest: { description },
        });
        const lines = skillList([skill], options(columns));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
        return lines.every((line) => displayWidth(line) <= columns && !/[\0-\x1f\x7f-\x9f]/.test(line));
      }),
    );
  });
});

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

test("the summary counts states and files that failed, and says what the catalogue costs", () => {
  const { tokens } = createCatalog(skills.slice(0, 2));
  expect(skillSummary(skills, snapshot, plainLayout(120))).toEqual([
    "3 skills: 2 not scanned yet, 1 disabled; 1 failed to load",
    `The catalogue of agents that use Skillet costs ~${tokens} tokens; each skill shows its share / once loaded.`,
  ]);
});

test("the summary says how many skills carry warnings, and where to read them", () => {
  const warning = { code: "missing-name", severity: "warning", message: "", file: "" } as const;
  const warned = [makeSkill({ name: "a", diagnostics: [warning, warning] }), makeSkill({ name: "b" })];
  const [headline] = skillSummary(warned, { ...snapshot, skills: warned, diagnostics: [] }, plainLayout(100));
  expect(headline).toBe("2 skills: 2 not scanned yet; 1 with warnings: a (skillet explain NAME shows them)");
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
  expect(skillSummary(skills, snapshot, { ...plainLayout(120), verdicts })).toEqual([
    "3 skills: 1 enabled, 1 withheld, 1 disabled; 1 failed to load",
    `The catalogue of agents that use Skillet costs ~${createCatalog([second!]).tokens} tokens; each skill shows its share / once loaded.`,
  ]);
});
