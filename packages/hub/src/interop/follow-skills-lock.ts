import { isJsonObject } from "@skillet/kit/json";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";
import { formatSkillsLock, readSkillsLock, skillsLockFields } from "./format-skills-lock.ts";

/** What changed in our lock. */
export interface FollowedChange {
  /** As it is now. */
  readonly lock: Lock;
  /** What was there before of the skills that were changed or removed, by name. */
  readonly before: ReadonlyMap<string, LockEntry>;
  /** The `skillsHash` of what was placed, by name. */
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * A `skills-lock.json` after a change of our lock; the same text where the change is none of its business.
 *
 * Whoever asked for that file once wants it to stay true, and nothing but the file says so. An entry is followed if it
 * names the skill and the source that our lock had for it; whatever another tool put there from elsewhere is not ours.
 */
export function followSkillsLock(existing: string, { lock, before, hashes }: FollowedChange): string {
  const { skills } = readSkillsLock(existing);
  const ours = [...before]
    .filter(([name, entry]) => Object.hasOwn(skills, name) && isSame(skills[name], entry))
    .map(([name]) => name);
  if (ours.length === 0) return existing;
  const followed = new Map(
    [...lock.skills].filter(([name, entry]) => ours.includes(name) || isBrought(entry, ours)),
  );
  const isKept = (name: string): boolean => {
    const entry = followed.get(name);
    return entry !== undefined && skillsLockFields(entry, "") !== undefined;
  };
  const removed = ours.filter((name) => !isKept(name));
  return formatSkillsLock({ skills: followed }, { hashes, existing, removed });
}

function isSame(known: unknown, entry: LockEntry): boolean {
  const fields = skillsLockFields(entry, "");
  if (!isJsonObject(known) || fields === undefined) return false;
  return known.source === fields.source && known.sourceType === fields.sourceType;
}

// What an update brought along belongs to what it was brought by.
function isBrought({ requiredBy = [] }: LockEntry, ours: readonly string[]): boolean {
  return requiredBy.some((name) => ours.includes(name));
}
