import { describe, expect, test } from "vitest";
import type { Scope } from "../registry/skill.ts";
import { type RankInputs, rankSkills } from "./rank-skills.ts";
import { makeSkill } from "./testing/make-skill.ts";

const DAY = 86_400_000;
const NOW = 1000 * DAY;

describe("rankSkills", () => {
  const skills = ["a", "b", "c", "d", "e", "f"].map((name) => makeSkill({ name }));
  const order = (inputs?: RankInputs): string =>
    rankSkills(skills, inputs)
      .map((index) => skills[index]?.name)
      .join("");

  test("without anything to go by, skills stay in their order, those nearest to the work first", () => {
    expect(order()).toBe("abcdef");
    const scopes: Scope[] = [
      "bundled",
      "plugin",
      "organisation",
      "user",
      "claude",
      "project",
      "explicit",
      "bundled",
    ];
    expect(rankSkills(scopes.map((scope) => makeSkill({ scope })))).toEqual([6, 5, 4, 3, 2, 1, 0, 7]);
  });

  test("preferred skills come first, in the order given, by qualified or bare name", () => {
    expect(order({ preferred: ["e", "unknown", "b", "e"] })).toBe("ebacdf");
    const qualified = makeSkill({ name: "pdf", qualifiedName: "kit:pdf" });
    expect(rankSkills([...skills, qualified], { preferred: ["pdf"] })[0]).toBe(6);
  });

  test("what suits the message comes before what does not", () => {
    expect(
      order({
        relevance: new Map([
          ["c", 0.2],
          ["f", 7],
        ]),
      }),
    ).toBe("fcabde");
    expect(order({ relevance: ({ name }) => (name > "d" ? 1 : 0) })).toBe("efabcd");
  });

  test("use fades by half every week, and counts less than the message", () => {
    const recentUse = {
      now: NOW,
      uses: new Map([
        ["b", { lastUsedAt: NOW - 14 * DAY, count: 4 }],
        ["c", { lastUsedAt: NOW, count: 2 }],
        ["d", { lastUsedAt: NOW + DAY }],
      ]),
    };
    // Twice today, four times two weeks ago (as good as once), once tomorrow by a clock that is wrong.
    expect(order({ recentUse })).toBe("cbdaef");
    expect(order({ recentUse, relevance: new Map([["f", 1]]) })).toBe("fcbdae");
  });

  test("every fifth place goes to a skill that was never used, but none before the preferred ones", () => {
    const many = Array.from({ length: 20 }, (_, index) => makeSkill({ name: `skill-${index}` }));
    const uses = new Map(many.slice(8).map(({ name }) => [name, { lastUsedAt: NOW }]));
    const ranked = rankSkills(many, { recentUse: { now: NOW, uses }, preferred: ["skill-19"] });
    expect(ranked).toEqual([19, 8, 9, 10, 11, 0, 12, 13, 14, 15, 1, 16, 17, 18, 2, 3, 4, 5, 6, 7]);
  });

  test("numbers that are none count as nothing", () => {
    const uses = new Map([
      ["b", { lastUsedAt: Number.NaN }],
      ["c", { lastUsedAt: NOW, count: -3 }],
    ]);
    expect(order({ recentUse: { now: NOW, uses } })).toBe("abcdef");
    expect(order({ relevance: ({ name }) => (name === "d" ? Number.NaN : -1) })).toBe("abcdef");
    expect(order({ relevance: ({ name }) => (name === "d" ? Number.POSITIVE_INFINITY : 0) })).toBe("dabcef");
  });
});
