import type { Skill } from "../../registry/skill.ts";

/** Whether a message calls a skill by name, as `$name`, `/name`, `@name` or "the name skill". */
export function isMentioned(skill: Skill, text: string): boolean {
  const lower = text.toLowerCase();
  const name = skill.name.toLowerCase();
  for (let start = lower.indexOf(name); start >= 0; start = lower.indexOf(name, start + 1)) {
    const before = lower[start - 1] ?? "";
    const behind = lower.slice(start + name.length, start + name.length + SKILL_WORD.length);
    if (isWordUnit(behind[0] ?? "")) continue;
    // A slash in the middle of a path is no call.
    if (MARKS.includes(before) && before !== "" && !isWordUnit(lower[start - 2] ?? "")) return true;
    if (!isWordUnit(before) && behind === SKILL_WORD) return true;
  }
  return false;
}

const MARKS = "$/@";
const SKILL_WORD = " skill";

function isWordUnit(unit: string): boolean {
  return /^[\p{L}\p{N}_/-]$/u.test(unit);
}
