import { normaliseName } from "../format/check-name.ts";
import { isQualified, type Skill } from "./skill.ts";
import type { Snapshot } from "./snapshot.ts";
import { suggestNames } from "./suggest-names.ts";

/** The result of looking up a name in a snapshot. */
export type SkillResolution =
  | { readonly kind: "found"; readonly skill: Skill }
  | { readonly kind: "ambiguous"; readonly candidates: readonly Skill[] }
  | { readonly kind: "unknown"; readonly suggestions: readonly string[] };

/**
 * Finds a skill by qualified name, path, name or folder name, in that order; several matches are returned as
 * ambiguous candidates.
 *
 * @example
 * const found = findSkill(snapshot, "user:pdf");
 * if (found.kind === "found") console.log(found.skill.path);
 */
export function findSkill(snapshot: Snapshot, name: string): SkillResolution {
  const { skills } = snapshot;
  const candidates = skillsNamed(skills, name);
  const [only, another] = candidates;
  if (another !== undefined) return { kind: "ambiguous", candidates };
  if (only !== undefined) return { kind: "found", skill: only };
  const suggestions = suggestNames(
    name,
    skills.map(({ qualifiedName }) => qualifiedName),
  );
  return { kind: "unknown", suggestions };
}

/** The skills that a name may mean, by the first rule that matches any. */
export function skillsNamed(skills: readonly Skill[], name: string): readonly Skill[] {
  const exact = skills.find(({ qualifiedName }) => qualifiedName === name);
  if (exact !== undefined) return [exact];
  const rules: readonly ((skill: Skill) => boolean)[] = [
    (skill) =>
      name.includes("/") &&
      (skill.path === name ||
        skill.directory === name ||
        skill.hostDirectory === name ||
        skill.alsoAt.includes(name)),
    (skill) => `${skill.scope}:${skill.name}` === name,
  ];
  const normalised = normaliseName(name);
  // `user:pdf` or `kit:pdf` means the user's or that plugin's skill, never one that declares such a name.
  const looseRules: typeof rules = isQualified(name)
    ? []
    : [
        (skill) => skill.name === name,
        (skill) => skill.kind === "skill" && skill.directoryName === name,
        (skill) => normaliseName(skill.name) === normalised,
      ];
  for (const matches of [...rules, ...looseRules]) {
    const candidates = skills.filter(matches);
    if (candidates.length > 0) return candidates;
  }
  return [];
}
