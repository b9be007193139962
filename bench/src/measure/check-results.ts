import type { Library } from "../library/generate-library.ts";
import type { Skill, Snapshot } from "./product.ts";

/** How many problems are listed before the rest is only counted. */
const MAX_LISTED = 10;

/** Compares what was found with what was generated; an empty list means that everything is right. */
export function checkResults(
  library: Library,
  found: { readonly cold: Snapshot; readonly warm: Snapshot },
): readonly string[] {
  const problems: string[] = [];
  const { cold, warm } = found;
  if (cold.skills.length !== library.skills.length) {
    problems.push(`cold discovery found ${cold.skills.length} of ${library.skills.length} skills`);
  }
  problems.push(...compareSnapshots(cold, warm));

  const byPath = new Map(cold.skills.map((skill) => [skill.path, skill]));
  for (const expected of library.skills) {
    const skill = byPath.get(expected.path);
    if (skill === undefined) {
      problems.push(`${expected.path} was not found`);
    } else if (expected.declared !== undefined) {
      const { name, description } = expected.declared;
      if (skill.name !== name) problems.push(`${expected.path} is named ${skill.name} instead of ${name}`);
      if (!isSameText(skill.manifest.description, description)) {
        problems.push(`${expected.path} lost its description: ${skill.manifest.description.slice(0, 80)}`);
      }
    }
  }
  const more = problems.length - MAX_LISTED;
  return more > 0 ? [...problems.slice(0, MAX_LISTED), `and ${more} more`] : problems;
}

function compareSnapshots(cold: Snapshot, warm: Snapshot): readonly string[] {
  const problems: string[] = [];
  if (cold.version !== warm.version) problems.push(`warm discovery has another version than cold`);
  if (JSON.stringify(cold.diagnostics) !== JSON.stringify(warm.diagnostics)) {
    problems.push("warm discovery has other diagnostics than cold");
  }
  if (cold.skills.length !== warm.skills.length)
    problems.push(`warm discovery found ${warm.skills.length} skills`);
  for (const [index, skill] of cold.skills.entries()) {
    const other = warm.skills[index];
    if (other === undefined || serialise(skill) !== serialise(other))
      problems.push(`${skill.path} differs when warm`);
  }
  return problems;
}

/** Written out field by field, because a skill may compute its fields on demand and then hides them from JSON. */
function serialise(skill: Skill): string {
  const { name, qualifiedName, scope, origin, kind, path, directory, directoryName, source } = skill;
  const { digest, manifest, state, reason, missing, bodyCharacters, alsoAt, shadowedBy, diagnostics } = skill;
  return JSON.stringify([
    [name, qualifiedName, scope, origin, kind, path, directory, directoryName, source],
    [digest, manifest, state, reason, missing, bodyCharacters, alsoAt, shadowedBy, diagnostics],
  ]);
}

/** Block scalars keep their line breaks; what counts here is that no word is lost. */
function isSameText(left: string, right: string): boolean {
  return left.replace(/\s+/g, " ").trim() === right.replace(/\s+/g, " ").trim();
}
