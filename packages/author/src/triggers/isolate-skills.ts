import type { Skill, Snapshot } from "@skillet/core";
import { compareByteOrder } from "@skillet/kit/order";

/**
 * A snapshot of one skill among others, whatever state it has where it is installed.
 *
 * A skill that stands at the same place, or that has the name, gives way: it would answer in its stead.
 */
export function isolateSkills(skill: Skill, others: readonly Skill[]): Snapshot {
  const competing = others.filter(
    (one) =>
      one.state === "enabled" &&
      one.kind === "skill" &&
      one.path !== skill.path &&
      one.qualifiedName !== skill.qualifiedName &&
      !one.alsoAt.includes(skill.path),
  );
  const skills = [asOffered(skill), ...competing].sort((left, right) =>
    compareByteOrder(left.qualifiedName, right.qualifiedName),
  );
  return { version: skill.digest, roots: [], skills, diagnostics: [] };
}

// Skills of a snapshot read their parts when asked for them, so that a spread would lose those.
function asOffered(skill: Skill): Skill {
  if (skill.state === "enabled" && skill.kind === "skill") return skill;
  return Object.create(skill, { state: { value: "enabled" }, kind: { value: "skill" } }) as Skill;
}
