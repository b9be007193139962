import { normaliseName } from "../format/check-name.ts";
import { isQualified } from "./scope-prefix.ts";
import type { Skill } from "./skill.ts";
import type { Snapshot } from "./snapshot.ts";
import { suggestNames } from "./suggest-names.ts";

/** The meaning of a name in a snapshot. */
export type SkillResolution =
  | { readonly kind: "found"; readonly skill: Skill }
  | { readonly kind: "ambiguous"; readonly candidates: readonly Skill[] }
  | { readonly kind: "unknown"; readonly suggestions: readonly string[] };

/**
 * Finds a skill by qualified name, path, name or folder name, in that order; several matches are refused as
 * ambiguous with the candidates.
 *
 * @example
 * const found = findSkill(snapshot, "user:pdf");
 * if (found.kind === "found") console.log(found.skill.path);
 */
export function findSkill(snapshot: Snapshot, name: string): SkillResolution {
  const exact = snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
  if (exact !== undefined) return { kind: "found", skill: exact };
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
  // `user:pdf` or `kit:pdf` means the user's or that plugin's, never another skill that declares such a name.
  const looseRules: typeof rules = isQualified(name)
    ? []
    : [
        (skill) => skill.name === name,
        (skill) => skill.kind === "skill" && skill.directoryName === name,
        (skill) => normaliseName(skill.name) === normalised,
      ];
  for (const matches of [...rules, ...looseRules]) {
    const candidates = snapshot.skills.filter(matches);
    const [only] = candidates;
    if (candidates.length === 1 && only !== undefined) return { kind: "found", skill: only };
    if (candidates.length > 1) return { kind: "ambiguous", candidates };
  }
  return {
    kind: "unknown",
    suggestions: suggestNames(
      name,
      snapshot.skills.map(({ qualifiedName }) => qualifiedName),
    ),
  };
}
