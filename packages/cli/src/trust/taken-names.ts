import type { Skill, Snapshot } from "@skillet/core";

/** A name that a skill of a project gets once its folder is trusted, and the skill that has it now. */
export interface TakenName {
  readonly taker: Skill;
  readonly owner: Skill;
}

/** The names that skills of yours lose to skills of a project once it is trusted. */
export function takenNames(snapshot: Snapshot, held: readonly Skill[]): readonly TakenName[] {
  const ranks = new Map(snapshot.roots.map(({ sourceId }, index) => [sourceId, index]));
  const rankOf = (skill: Skill): number => ranks.get(skill.source.id) ?? ranks.size;
  const owners = new Map(
    snapshot.skills
      .filter((skill) => skill.qualifiedName === skill.name && isOfferedElsewhere(skill))
      .map((skill) => [skill.name, skill]),
  );
  const takers = new Map<string, Skill>();
  for (const skill of held) {
    if (skill.state !== "untrusted" || skill.plugin !== undefined) continue;
    const first = takers.get(skill.name);
    if (first === undefined || rankOf(skill) < rankOf(first)) takers.set(skill.name, skill);
  }
  return [...takers].flatMap(([name, taker]) => {
    const owner = owners.get(name);
    return owner !== undefined && rankOf(taker) < rankOf(owner) ? [{ taker, owner }] : [];
  });
}

function isOfferedElsewhere({ scope, state }: Skill): boolean {
  return scope !== "project" && scope !== "claude" && (state === "enabled" || state === "unavailable");
}
