import { oncePer } from "@skillet/kit/async";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";

/** Look-up tables for the skills of a snapshot, made once for all sessions. */
export interface SnapshotIndex {
  readonly places: ReadonlyMap<Skill, number>;
  readonly byQualifiedName: ReadonlyMap<string, Skill>;
  readonly byName: ReadonlyMap<string, readonly Skill[]>;
  readonly byPlace: () => ReadonlyMap<string, Skill>;
}

export const indexOf: (snapshot: Snapshot) => SnapshotIndex = oncePer(createIndex);

function createIndex({ skills }: Snapshot): SnapshotIndex {
  const byName = new Map<string, Skill[]>();
  for (const skill of skills) {
    const same = byName.get(skill.name);
    if (same === undefined) byName.set(skill.name, [skill]);
    else same.push(skill);
  }
  let byPlace: ReadonlyMap<string, Skill> | undefined;
  return {
    places: new Map(skills.map((skill, place) => [skill, place])),
    byQualifiedName: new Map(skills.map((skill) => [skill.qualifiedName, skill])),
    byName,
    byPlace: () => (byPlace ??= new Map(skills.map((skill) => [placeKey(skill), skill]))),
  };
}

/** Identifies a skill across snapshots, as names can change hands. With the file: commands share a folder. */
export function placeKey({ source: { id, folder, file } }: Skill): string {
  return JSON.stringify([id, folder, file]);
}

/** Those of the given skills that are in the snapshot, in its order. */
export function inOrder(snapshot: Snapshot, skills: ReadonlySet<Skill>): readonly Skill[] {
  const { places } = indexOf(snapshot);
  const placeOf = (skill: Skill): number => places.get(skill) ?? 0;
  return [...skills]
    .filter((skill) => places.has(skill))
    .sort((left, right) => placeOf(left) - placeOf(right));
}
