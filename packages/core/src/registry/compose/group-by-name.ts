import type { ComposedSkill } from "./composed-skill.ts";

/** Skills by the name they compete for; a name that nobody else wants maps to the skill itself. */
export type NameGroups = Map<string, ComposedSkill | ComposedSkill[]>;

/** Groups skills by name, keeping their order. */
export function groupByName(skills: readonly ComposedSkill[]): NameGroups {
  const groups: NameGroups = new Map();
  for (const skill of skills) {
    const group = groups.get(skill.qualifiedName);
    if (group === undefined) groups.set(skill.qualifiedName, skill);
    else if (Array.isArray(group)) group.push(skill);
    else groups.set(skill.qualifiedName, [group, skill]);
  }
  return groups;
}
