import fc from "fast-check";
import { expect, test } from "vitest";
import { findMentions } from "../../mention/find-mentions.ts";
import type { Skill } from "../../registry/skill.ts";
import type { MentionedSkill } from "../mention/resolve-mentions.ts";
import { withoutMentions } from "./without-mentions.ts";

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
