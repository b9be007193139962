import { join } from "node:path";
import { findMentions } from "@skillet/select/parts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { makeSkill } from "../../catalog/testing/make-skill.ts";
import type { Skill } from "../../registry/skill.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { openSession } from "../testing/open-session.ts";
import {
  type MentionedSkill,
  NamedSkills,
  type ResolvedMentions,
  resolveMentions,
  withoutMentions,
} from "./resolve-mentions.ts";

/** What a message names; `FOLDER` in it is the folder of the skills. */
async function resolve(message: string): Promise<ResolvedMentions> {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "deploy/SKILL.md": skillText("deploy"),
    "caf/SKILL.md": skillText("caf"),
    "café/SKILL.md": skillText("café"),
  });
  return (await openSession(folder)).mentions(message.replace("FOLDER", folder));
}

async function named(message: string): Promise<string[]> {
  return (await resolve(message)).skills.map(({ skill }) => skill.name);
}

test.each([
  ["Use $café now", ["café"]],
  ["Use $cafe\u0301 now", ["café"]],
  ["Use $caf now", ["caf"]],
  ["Use [$café](/nowhere/SKILL.md) now", []],
  ["Use [$deploy](/copy (1)/deploy/SKILL.md)", []],
  ["Use [$deploy](/copy ((1/deploy/SKILL.md", []],
  ["Use [$deploy](/nowhere) and $deploy", []],
  ["Use [$x](FOLDER/deploy/SKILL.md)", ["deploy"]],
])("%s names %j", async (message, names) => {
  expect(await named(message)).toEqual(names);
});

describe("what was not looked at is reported", () => {
  test.each([
    ["behind too many mentions", `${"$nobody ".repeat(32)} $deploy`],
    ["behind too much text", `${"x ".repeat(200_000)} $deploy`],
  ])("%s", async (_, message) => {
    expect(await resolve(message)).toMatchObject({ skills: [], diagnostics: [{ code: "mentions-unread" }] });
  });
});

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

const SKILL = {} as Skill;

function allOf(message: string): readonly MentionedSkill[] {
  return findMentions(message).map((mention) => ({ skill: SKILL, mention }));
}

test.each([
  ["/pdf", ""],
  ["/pdf fill in tax.pdf", "  fill in tax.pdf"],
  ["first $pdf, then /pdf again", "first  , then   again"],
  ["see [$pdf](/skills/pdf) and $pdf", "see   and  "],
  ["$pdf … !", ""],
  ["/pdf please", ""],
])("what a message says besides names: %j", (message, rest) => {
  expect(withoutMentions(message, allOf(message))).toBe(rest);
});

test("names of others stay, and so does a message that names nobody", () => {
  const message = "/pdf like /docx";
  expect(withoutMentions(message, allOf(message).slice(0, 1))).toBe("  like /docx");
  expect(withoutMentions("  !", [])).toBe("  !");
});

test("whatever the message, what is left is what stands between the names, in order", () => {
  const part = fc.constantFrom("/pdf", "$pdf-forms", "[$a](b)", " ", "x", "`", "\n", "\\", "é", "/", "$");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const message = parts.join("");
      const named = allOf(message);
      const letters = [...message].filter((_, at) =>
        named.every(({ mention: { start, end } }) => at < start || at >= end),
      );
      const rest = letters.join("").replaceAll(" ", "");
      const expected = named.length > 0 && !/\p{L}/u.test(rest) ? "" : rest;
      expect(withoutMentions(message, named).replaceAll(" ", "")).toBe(expected);
    }),
  );
});
