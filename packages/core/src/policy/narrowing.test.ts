// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of rules
import { describe, expect, test } from "vitest";
import { narrowingOf, narrowingTo } from "./narrowing.ts";
import { discoverSkill } from "./testing/discover-skill.ts";

const options = { source: "model", project: "/project" } as const;
const texts = (rules: readonly { text: string }[] | undefined) => rules?.map(({ text }) => text);

describe("narrowingOf", () => {
  test.each([
    ["allowed-tools: Bash(git cherry-pick:*) Read", ["Bash(git cherry-pick:*)", "Read"]],
    ["allowed-tools: Bash(gh pr:*), Read,Write", ["Bash(gh pr:*)", "Read", "Write"]],
    ["allowed-tools: [Read, 'Bash(git *)']", ["Read", "Bash(git *)"]],
    [
      "allowed-tools:\n  - mcp__github__*\n  - WebFetch(domain:example.com)",
      ["mcp__github__*", "WebFetch(domain:example.com)"],
    ],
  ])("reads %j", async (header, expected) => {
    const skill = await discoverSkill("one", header);
    const { narrowing, diagnostics } = narrowingOf(skill, options);
    expect(texts(narrowing.allowed)).toEqual(expected);
    expect(narrowing).toMatchObject({
      by: "one",
      source: "model",
      disallowed: [],
      skill: { name: "one", origin: "local" },
    });
    expect(diagnostics).toEqual([]);
  });

  test("a skill without the field does not narrow", async () => {
    const skill = await discoverSkill("one", "disallowed-tools: Write");
    expect(narrowingOf(skill, options)).toMatchObject({
      narrowing: { disallowed: [{ text: "Write" }] },
      diagnostics: [],
    });
    expect(narrowingOf(skill, options).narrowing).not.toHaveProperty("allowed");
  });

  test("what cannot be understood is reported and covers nothing, and among the disallowed bars its tool", async () => {
    const skill = await discoverSkill("one", "allowed-tools: Bash(a && b)\ndisallowed-tools: Bash(rm | sh)");
    expect(narrowingOf(skill, options)).toEqual({
      narrowing: {
        by: "one",
        skill: { name: "one", qualifiedName: "one", scope: "user", origin: "local" },
        source: "model",
        allowed: [],
        disallowed: [{ kind: "tool", text: "Bash(rm | sh)", tool: { name: "bash", match: "exact" } }],
      },
      diagnostics: [
        {
          code: "tool-rule-unclear",
          severity: "warning",
          message:
            'allowed-tools: "Bash(a && b)" has "&&" in it, which is not understood, so it covers nothing.',
          file: skill.path,
          hint: "write one rule for each command: its words, and `:*` for any further ones",
        },
        {
          code: "tool-rule-unclear",
          severity: "warning",
          message:
            'disallowed-tools: "Bash(rm | sh)" has "|" in it, which is not understood, so it bars the whole tool.',
          file: skill.path,
          hint: "write one rule for each command: its words, and `:*` for any further ones",
        },
      ],
    });
  });

  test("the skill's own folder stands for its variable", async () => {
    const skill = await discoverSkill("one", "allowed-tools: Bash(${CLAUDE_SKILL_DIR}/x.sh)");
    const { narrowing } = narrowingOf(skill, options);
    expect(narrowing.allowed).toMatchObject([{ words: [{ text: `${skill.directory}/x.sh` }] }]);
  });

  test("rules beyond a bound are not read, and that is said", async () => {
    const tools = Array.from({ length: 501 }, (_, index) => `Tool${index}`);
    const list = tools.join(" ");
    const skill = await discoverSkill("one", `allowed-tools: ${list}\ndisallowed-tools: ${list}`);
    const { narrowing, diagnostics } = narrowingOf(skill, options);
    expect(narrowing.allowed).toHaveLength(500);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "allowed-tools: Only the first 500 of 501 rules are read.",
      "disallowed-tools: Only the first 500 of 501 rules are read, and the others bar every tool.",
    ]);
    expect(narrowing.disallowed.at(-1)).toMatchObject({ kind: "tool", tool: { name: "", match: "prefix" } });
  });
});

test("a list of tools narrows to these, and an empty one to none", () => {
  const place = { by: "a fork", project: "/project" };
  expect(texts(narrowingTo(["Read", "Bash(git:*)"], place).narrowing.allowed)).toEqual([
    "Read",
    "Bash(git:*)",
  ]);
  expect(narrowingTo([], place)).toEqual({
    narrowing: { by: "a fork", allowed: [], disallowed: [] },
    diagnostics: [],
  });
  expect(narrowingTo(["Bash("], place).diagnostics).toMatchObject([
    { code: "tool-rule-unclear", file: "a fork" },
  ]);
});
