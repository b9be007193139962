import type { Digest } from "@skillet/kit/digest";
import type { Skill } from "../registry/skill.ts";
import type { ActivationSource } from "./session.ts";
import { findHidden, findNamed } from "./skill-access.ts";
import type { SessionState } from "./state.ts";

export interface ActivationKey {
  readonly digest: Digest;
  readonly treeDigest?: Digest | undefined;
  readonly argumentsDigest: string;
}

/** A skill's instructions that a model was given, so that none is given twice and all can be given again. */
export interface ActiveSkill {
  readonly keys: ReadonlySet<string>;
  readonly latestKey: string;
  readonly source: ActivationSource;
  /** The text given last; undefined if it can no longer be reproduced. */
  readonly render: (skill: Skill) => Promise<string | undefined>;
}

export function isInContext({ active }: SessionState, skill: Skill, key: ActivationKey): boolean {
  return active.get(skill.qualifiedName)?.keys.has(keyOf(key)) === true;
}

export function addActive(
  { active }: SessionState,
  { qualifiedName }: Skill,
  key: ActivationKey,
  { source, render }: Pick<ActiveSkill, "source" | "render">,
): void {
  const latestKey = keyOf(key);
  const keys = new Set(active.get(qualifiedName)?.keys).add(latestKey);
  // Deleted and set again, so that the latest comes last.
  active.delete(qualifiedName);
  active.set(qualifiedName, { keys, latestKey, source, render });
}

export function keepActive({ active }: SessionState, kept: readonly string[]): void {
  for (const [name, skill] of active) {
    if (kept.includes(name)) active.set(name, { ...skill, keys: new Set([skill.latestKey]) });
    else active.delete(name);
  }
}

/** Whether the model has the skill's instructions, and whoever asked for them may still use the skill. */
export function isActive(session: SessionState, skill: Skill): boolean {
  const active = session.active.get(skill.qualifiedName);
  return (
    active !== undefined && findHidden(session, skill, active.source, { byFullName: true }) === undefined
  );
}

export function isLoadedFrom({ active }: SessionState, skill: Skill, treeDigest: Digest): boolean {
  return [...(active.get(skill.qualifiedName)?.keys ?? [])].some((key) => key.startsWith(`${treeDigest} `));
}

export function activeSkills(session: SessionState): readonly Skill[] {
  return session.snapshot.skills.filter((skill) => isActive(session, skill));
}

export function findActive(session: SessionState, name: string): Skill | undefined {
  return findNamed(name, activeSkills(session), session.snapshot);
}

function keyOf({ digest, treeDigest, argumentsDigest }: ActivationKey): string {
  return `${treeDigest ?? digest} ${argumentsDigest}`;
}
