import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { answerTriggers, figuresOf, openSelector } from "../../bench/src/select/bundled-triggers.ts";

const skills = fileURLToPath(new URL("../../skills/", import.meta.url));

describe("messages that the selector has not seen call the bundled skills that they are for", async () => {
  const answers = await answerTriggers({ skills });
  const selector = await openSelector(skills);

  test("each skill has a set of messages that should call it and of near misses", () => {
    const names = readdirSync(skills).sort();
    expect([...new Set(answers.map(({ skill }) => skill))].sort()).toEqual(names);
    for (const name of names) {
      const own = answers.filter(({ skill }) => skill === name);
      expect(own.filter(({ expected }) => expected).length).toBeGreaterThanOrEqual(25);
      expect(own.filter(({ expected }) => !expected).length).toBeGreaterThanOrEqual(25);
    }
  });

  test("nearly every message gets its skill, and few near misses do", () => {
    const { precision, recall } = figuresOf(answers, "suggest");
    expect(precision).toBeGreaterThanOrEqual(0.885);
    expect(recall).toBeGreaterThanOrEqual(0.86);
  });

  test.each([
    ["ask-for-help", "ask me before you decide"],
    ["backport-fix", "backport this fix"],
    ["careful-loop", "keep going until all tests pass"],
    ["create-skill", "write a skill"],
    ["debug-failing-test", "fix the failing test"],
    ["free-disk-space", "my disk is full"],
    ["gh", "open a PR"],
    ["hello-world", "say hello"],
    ["profile-table", "profile orders.csv"],
    ["record-facts", "remember this"],
    ["review-change", "review my changes"],
    ["skill-doctor", "why is my skill not used?"],
    ["skillify", "turn this conversation into a skill"],
    ["survey-code", "give me an overview of this repo"],
    ["tidy-commits", "commit my changes"],
    ["verify-claims", "are you sure?"],
    ["write-changelog", "write a changelog"],
  ])("%s comes first for the shortest way to say it: %s", (skill, message) => {
    const { activate, suggest } = selector.decide(message);
    expect([...activate, ...suggest][0]?.skill.name).toBe(skill);
  });

  test.each([
    "is this migration going to lock my table",
    "what is going on in this room",
    "how do I keep going with this diet",
    "are we going to lunch",
    "is it going to be cold next week",
    "we keep going back and forth about the sofa",
    "is there anything left to do before the holiday",
    "we ran out of milk, what can I bake without it",
    "where did the last hour go",
    "I forgot what I wanted to say",
    "is it worth going to Rome for only two days",
    "our van broke down, who do I call",
  ])("none is activated for everyday words alone: %s", (message) => {
    expect(selector.decide(message).activate).toEqual([]);
  });

  test("no skill is left behind", () => {
    for (const name of readdirSync(skills)) {
      const figures = figuresOf(
        answers.filter(({ skill }) => skill === name),
        "suggest",
      );
      expect(figures.precision, name).toBeGreaterThanOrEqual(0.7);
      expect(figures.recall, name).toBeGreaterThanOrEqual(0.76);
    }
  });

  test("a skill is hardly ever activated for a near miss", () => {
    expect(figuresOf(answers, "activate").precision).toBeGreaterThanOrEqual(0.95);
  });
});
