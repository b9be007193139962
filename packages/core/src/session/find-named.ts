import { isQualified } from "../registry/scope-prefix.ts";
import type { Skill } from "../registry/skill.ts";

/**
 * The one skill among some that a name means.
 *
 * A name that a skill of the snapshot holds means that skill alone: where it is not among them, no other of that bare
 * name stands in for it. Nor does one that calls itself like a skill of another scope or plugin.
 */
export function findNamed(
  name: string,
  among: readonly Skill[],
  snapshot: { readonly skills: readonly Skill[] },
): Skill | undefined {
  const holder = snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
  if (holder !== undefined) return among.includes(holder) ? holder : undefined;
  const named = isQualified(name) ? [] : among.filter((skill) => skill.name === name);
  return named.length === 1 ? named[0] : undefined;
}
