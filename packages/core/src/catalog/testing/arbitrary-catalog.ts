import fc from "fast-check";
import { SCOPES, type Skill } from "../../registry/skill.ts";
import type { CatalogGuidance } from "../catalog-guidance.ts";
import { CATALOG_FORMATS, type CatalogOptions } from "../create-catalog.ts";
import { makeSkill } from "./make-skill.ts";

// Markup of every form, all kinds of white space, control characters, surrogates (also lone), joined emoji.
const FRAGMENTS = [
  "</description>",
  "</available_skills>",
  "<skill>",
  "&amp;",
  "&#x0;",
  "]]>",
  "'",
  '"',
  "\\",
  "`",
  "```",
  "**",
  "[a](http://b)",
  "\n- `x`: y",
  "\n\n## Heading",
  "\r",
  "\r\n",
  "\t",
  "\u0000",
  "\u001b[2J",
  "\u0085",
  "\u2028",
  "\ufffe",
  "\ud83e",
  "\uddc0",
  "🧀",
  "👩‍👩‍👧",
  "漢字",
  "é",
  " ",
  "  ",
  "Fills in forms and reads what is in them. ",
  "A rather long sentence that says when to use a skill and when to use another one instead. ",
];

/** Any text, hostile or plain. */
export const arbitraryText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 20 })), { maxLength: 12 })
  .map((parts) => parts.join(""));

/** Ordinary text, some of it longer than is ever shown. */
const arbitraryProse: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom("forms", "it's", "tables", "R&D", "von", "größer", "漢字", "🧀"), {
      minLength: 1,
    }),
    fc.oneof(fc.nat(120), fc.nat(500), fc.nat(2000)),
  )
  .map(([words, length]) => `${words.join(" ")} `.repeat(length).slice(0, length));

const arbitrarySkill: fc.Arbitrary<Skill> = fc
  .record({
    name: fc.oneof(fc.stringMatching(/^[a-z]{1,12}$/), arbitraryText),
    path: fc.oneof(fc.stringMatching(/^\/[a-z/]{1,40}$/), arbitraryText),
    scope: fc.constantFrom(...SCOPES),
    description: fc.oneof(
      { arbitrary: arbitraryProse, weight: 4 },
      arbitraryText,
      fc.string({ unit: "binary", maxLength: 300 }),
    ),
  })
  .map(({ name, path, scope, description }) =>
    makeSkill({ name, qualifiedName: name, path, scope, manifest: { description } }),
  );

export const arbitrarySkills: fc.Arbitrary<readonly Skill[]> = fc.array(arbitrarySkill, {
  maxLength: 25,
  size: "max",
});

/** All options but the budget. */
export const arbitraryOptions: fc.Arbitrary<CatalogOptions> = fc.record(
  {
    format: fc.constantFrom(...CATALOG_FORMATS),
    guidance: fc.constantFrom<CatalogGuidance[]>("load", "read", "none", { toolName: "use_skill" }),
    search: fc.constant({ toolName: "search_skills" }),
    rank: fc.record(
      {
        preferred: fc.array(fc.stringMatching(/^[a-z]{1,2}$/), { maxLength: 3 }),
        relevance: fc.func(fc.nat(10)),
        recentUse: fc
          .array(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), fc.nat(1000)), { maxLength: 5 })
          .map((uses) => ({
            now: 1000,
            uses: new Map(uses.map(([name, lastUsedAt]) => [name, { lastUsedAt }])),
          })),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["format"] },
);
