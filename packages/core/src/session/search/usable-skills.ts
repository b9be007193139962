import { rankSkills } from "../../catalog/rank-skills.ts";
import type { HiddenSkill } from "../../catalog/visible-skills.ts";
import type { Skill } from "../../registry/skill.ts";
import { describeHidden } from "../skill-access.ts";
import type { SessionState } from "../state.ts";

export interface UsableSkills {
  readonly skills: readonly Skill[];
  readonly hidden: readonly HiddenSkill[];
  readonly byQualifiedName: ReadonlyMap<string, Skill>;
  readonly byName: ReadonlyMap<string, readonly Skill[]>;
  readonly places: ReadonlyMap<Skill, number>;
  /** The order where nothing else tells skills apart; computed on first use. */
  usual?: readonly Skill[];
}

/**
 * A catalogue for every turn must not ask the rules about a hundred thousand skills again.
 *
 * Given values and changed permissions can make more skills usable, and then this is forgotten. A skill that is withheld
 * later is caught where it is named, listed or loaded.
 */
export function usableOnce(session: SessionState): UsableSkills {
  session.usable ??= findUsable(session);
  return session.usable;
}

// No catalogue under a budget lists more.
const MAX_USUAL = 200;

export function usualSkills(usable: UsableSkills): readonly Skill[] {
  usable.usual ??= rankSkills(usable.skills)
    .slice(0, MAX_USUAL)
    .flatMap((index) => usable.skills[index] ?? []);
  return usable.usual;
}

function findUsable(session: SessionState): UsableSkills {
  const skills: Skill[] = [];
  const hidden: HiddenSkill[] = [];
  const byName = new Map<string, Skill[]>();
  for (const skill of session.snapshot.skills) {
    const reasons = describeHidden(session, skill);
    if (reasons.length > 0) {
      hidden.push(...reasons);
      continue;
    }
    skills.push(skill);
    const same = byName.get(skill.name);
    if (same === undefined) byName.set(skill.name, [skill]);
    else same.push(skill);
  }
  const byQualifiedName = new Map(skills.map((skill) => [skill.qualifiedName, skill]));
  const places = new Map(skills.map((skill, place) => [skill, place]));
  return { skills, hidden, byQualifiedName, byName, places };
}
