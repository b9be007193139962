import fc from "fast-check";
import { expect, test } from "vitest";
import { makeSkill } from "../../catalog/testing/make-skill.ts";
import type { Skill } from "../../registry/skill.ts";
import { resolveMentions } from "../mention/resolve-mentions.ts";
import { NamedSkills } from "./named-skills.ts";

const NAMES = [
  "pdf",
  "pdf-forms",
  "caf\u00e9",
  "cafe\u0301",
  "kit:pdf",
  "user:pdf",
  "__proto__",
  "constructor",
  "a",
];

const arbitrarySkills: fc.Arbitrary<readonly Skill[]> = fc
  .array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      prefix: fc.constantFrom("", "kit:", "user:"),
      folder: fc.constantFrom(...NAMES),
    }),
    { maxLength: 8 },
  )
  .map((drafts) =>
    drafts.map(({ name, prefix, folder }, index) =>
      makeSkill({
        name,
        qualifiedName: `${prefix}${name}`,
        directoryName: folder,
        directory: `/skills/${index}/${folder}`,
        path: `/skills/${index}/${folder}/SKILL.md`,
      }),
    ),
  );

const arbitraryMessage: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom("$", "/", "@", ""), fc.constantFrom(...NAMES)).map((parts) => parts.join("")),
      fc.constantFrom(
        "[$pdf](/skills/0/pdf/SKILL.md)",
        "[$a](skill:///skills/1/a)",
        "and",
        "read /usr/bin/pdf",
        "$HOME",
      ),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 6 },
  )
  .map((words) => words.join(" "));

test("finds exactly what a look at every skill finds", () => {
  fc.assert(
    fc.property(arbitrarySkills, arbitraryMessage, (skills, message) => {
      const named = new NamedSkills(skills).find(message);
      expect(named).toEqual(resolveMentions(message, skills).skills);
    }),
    { numRuns: 300 },
  );
});
