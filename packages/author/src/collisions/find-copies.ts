import type { Skill } from "@skillet/core";

/** Skills that say the same of themselves, by qualified name; who is alone is in no group. */
export function findCopies(skills: readonly Skill[]): readonly (readonly Skill[])[] {
  const groups = new Map<string, Skill[]>();
  for (const skill of skills) {
    const { description, whenToUse = "" } = skill.manifest;
    const key = `${description}\n${whenToUse}`.replace(/\s+/g, " ").trim().toLowerCase();
    if (key === "") continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [skill]);
    else group.push(skill);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}
