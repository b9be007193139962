import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Skill } from "../registry/skill.ts";
import { escapeXml } from "./catalog-forms.ts";
import { type Catalog, type CatalogOptions, createCatalog } from "./create-catalog.ts";
import { MIN_DESCRIPTION_CODE_POINTS } from "./plan-catalog.ts";
import { arbitraryOptions, arbitrarySkills } from "./testing/arbitrary-catalog.ts";

/** Counts that do not add up from one piece to the next, as real ones do not. */
const COUNTS: readonly (CatalogOptions["countTokens"] & {})[] = [
  (text) => text.split(/\s+/).length,
  (text) => Math.ceil(text.length / 3) + (text.length % 7),
  (text) => new Set(text).size,
];

/** A budget, and what a catalogue takes of it. */
interface Limit {
  readonly options: (amount: number) => CatalogOptions;
  readonly spent: (catalog: Catalog) => number;
}

const arbitraryLimit: fc.Arbitrary<Limit> = fc.oneof(
  fc.constant({
    options: (characters: number) => ({ budget: { characters } }),
    spent: ({ text }: Catalog) => text.length,
  }),
  fc.constant({
    options: (tokens: number) => ({ budget: { tokens } }),
    spent: ({ tokens }: Catalog) => tokens,
  }),
  fc.constantFrom(...COUNTS).map((countTokens) => ({
    options: (tokens: number) => ({ budget: { tokens }, countTokens }),
    spent: ({ text }: Catalog) => (text === "" ? 0 : countTokens(text)),
  })),
);

/** Skills and a budget that they need some share of, or more. */
interface Case {
  readonly skills: readonly Skill[];
  readonly amount: number;
  readonly whole: Catalog;
  readonly limit: Limit;
  create(amount: number): Catalog;
}

const arbitraryCase: fc.Arbitrary<Case> = fc
  .record({
    skills: arbitrarySkills,
    options: arbitraryOptions,
    limit: arbitraryLimit,
    permille: fc.integer({ min: 0, max: 1100 }),
  })
  .map(({ skills, options, limit, permille }) => {
    const whole = createCatalog(skills, { ...options, budget: "unlimited" });
    return {
      skills,
      amount: Math.floor((permille / 1000) * limit.spent(whole)),
      whole,
      limit,
      create: (amount: number) => createCatalog(skills, { ...options, ...limit.options(amount) }),
    };
  });

describe("for any skills, form, rank and budget", () => {
  test("a catalogue is never over its budget, and the same every time", () => {
    fc.assert(
      fc.property(arbitraryCase, ({ create, amount, limit }) => {
        const catalog = create(amount);
        expect(limit.spent(catalog)).toBeLessThanOrEqual(amount);
        expect(catalog.characters).toBe(catalog.text.length);
        expect(create(amount)).toEqual(catalog);
      }),
    );
  });

  test("descriptions are shortened alike, within one character, and never to less than is of use", () => {
    fc.assert(
      fc.property(arbitraryCase, ({ create, amount }) => {
        const { skills } = create(amount).report;
        const lengths = (outcome: string): number[] =>
          skills.filter((skill) => skill.outcome === outcome).map(({ kept }) => kept);
        const shortened = lengths("shortened");
        if (shortened.length === 0) return;
        const least = Math.min(...shortened);
        expect(least).toBeGreaterThanOrEqual(MIN_DESCRIPTION_CODE_POINTS);
        expect(Math.max(...shortened, ...lengths("shown"))).toBeLessThanOrEqual(least + 1);
      }),
    );
  });

  test("more budget never takes a name away", () => {
    fc.assert(
      fc.property(arbitraryCase, fc.oneof(fc.nat(5), fc.nat(2000)), ({ create, amount }, more) => {
        expect(listed(create(amount + more))).toEqual(expect.arrayContaining(listed(create(amount))));
      }),
    );
  });

  test("every name is there as soon as names fit, and not a character earlier", () => {
    fc.assert(
      fc.property(arbitrarySkills, (skills) => {
        fc.pre(skills.length > 0);
        const bare = skills.map(
          ({ qualifiedName }) => `<skill>\n<name>\n${escapeXml(qualifiedName)}\n</name>\n</skill>\n`,
        );
        const characters = `<available_skills>\n${bare.join("")}</available_skills>`.length;
        expect(createCatalog(skills, { budget: { characters } }).report.omitted).toBe(0);
        expect(createCatalog(skills, { budget: { characters: characters - 1 } }).report.omitted).not.toBe(0);
      }),
    );
  });

  test("the report accounts for every skill and every character of its description", () => {
    fc.assert(
      fc.property(arbitraryCase, ({ create, amount, whole, skills }) => {
        const { report } = create(amount);
        expect(report.skills.map(({ name, kept, cut }) => [name, kept + cut])).toEqual(
          whole.report.skills.map(({ name, kept }) => [name, kept]),
        );
        const count = (outcome: string): number =>
          report.skills.filter((skill) => skill.outcome === outcome).length;
        expect(report).toMatchObject({
          total: skills.length,
          shown: count("shown"),
          shortened: count("shortened"),
          nameOnly: count("name-only"),
          omitted: count("omitted"),
          kept: report.skills.reduce((sum, { kept }) => sum + kept, 0),
          cut: report.skills.reduce((sum, { cut }) => sum + cut, 0),
        });
        expect(report.shown + report.shortened + report.nameOnly + report.omitted).toBe(skills.length);
      }),
    );
  });

  test("no pair of surrogates is split, and no half of one gets through", () => {
    fc.assert(
      fc.property(arbitraryCase, ({ create, amount }) => {
        expect(create(amount).text).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});

function listed({ report }: Catalog): number[] {
  return report.skills.flatMap(({ outcome }, index) => (outcome === "omitted" ? [] : [index]));
}
