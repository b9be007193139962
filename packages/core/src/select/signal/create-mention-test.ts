import { STOP_WORDS } from "@skillet/kit/words";
import { codeRanges, createRangeTest } from "../../mention/code-ranges.ts";
import { findMentions } from "../../mention/find-mentions.ts";
import type { Skill } from "../../registry/skill.ts";

/**
 * Who is called by name in a message, as `$name`, `/name`, `[$name](path)` or "the name skill".
 *
 * Code, paths, variables and prices call nobody, nor does `this skill`. What is found is found when first asked for.
 */
export function createMentionTest(text: string): (skill: Skill) => boolean {
  let mentions: ReturnType<typeof findMentions> | undefined;
  return (skill) => {
    mentions ??= MARK.test(text) ? findMentions(text) : [];
    const isMarked = mentions.some(({ form, name, path }) =>
      form === "link"
        ? skill.path === path || skill.directory === path
        : name === skill.qualifiedName || name === skill.name,
    );
    return isMarked || isSpokenOf(skill.name.toLowerCase(), text);
  };
}

const MARK = /[$/]/;

/** "the pdf-forms skill": the name and the word behind it, which ordinary words have as well. */
function isSpokenOf(name: string, text: string): boolean {
  if (!isTelling(name)) return false;
  const lower = text.toLowerCase();
  let isCode: ((at: number) => boolean) | undefined;
  for (let start = lower.indexOf(name); start >= 0; start = lower.indexOf(name, start + 1)) {
    const end = start + name.length;
    if (!lower.startsWith(SKILL_WORD, end) || WORD_UNIT.test(lower[end + SKILL_WORD.length] ?? "")) continue;
    if (WORD_UNIT.test(lower[start - 1] ?? "")) continue;
    isCode ??= createRangeTest(codeRanges(text));
    if (!isCode(start)) return true;
  }
  return false;
}

const SKILL_WORD = " skill";
const WORD_UNIT = /^[\p{L}\p{N}_/$@-]$/u;

// What people say of skills in general.
const SAID_OF_SKILLS = new Set(
  (
    "agent another best better certain current custom different each either every existing first good great last main new " +
    "next old other right same second single special specific whole wrong"
  ).split(" "),
);
const LEAST_LETTERS = 4;

function isTelling(name: string): boolean {
  if (name.includes("-")) return true;
  return name.length >= LEAST_LETTERS && !STOP_WORDS.has(name) && !SAID_OF_SKILLS.has(name);
}
