import type { Skill } from "./skill.ts";
import type { Snapshot } from "./snapshot.ts";

/** The difference between two snapshots, by qualified name. */
export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The bytes of SKILL.md, the state, the reason or the place differ. */
  readonly changed: readonly string[];
}

/** Compares two snapshots; three empty lists mean that nothing happened. */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotDiff {
  const old = new Map(before.skills.map((skill) => [skill.qualifiedName, skill]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const skill of after.skills) {
    const previous = old.get(skill.qualifiedName);
    if (previous === undefined) added.push(skill.qualifiedName);
    else if (isDifferent(previous, skill)) changed.push(skill.qualifiedName);
    old.delete(skill.qualifiedName);
  }
  return { added, removed: [...old.keys()], changed };
}

export function isEmptyDiff({ added, removed, changed }: SnapshotDiff): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0;
}

function isDifferent(before: Skill, after: Skill): boolean {
  return (
    before.digest !== after.digest ||
    before.settingsDigest !== after.settingsDigest ||
    before.state !== after.state ||
    before.reason !== after.reason ||
    before.path !== after.path
  );
}
