import { removeHidden } from "@skillet/kit/text";
import type { Skill } from "../registry/skill.ts";

/** What the catalogue says about one skill. */
export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
  readonly location: string;
}

/** The entry of a skill: its unique name, what it is for and when, and where its SKILL.md lies. */
export function catalogEntry(skill: Skill): CatalogEntry {
  const { description, whenToUse } = skill.manifest;
  return {
    name: skill.qualifiedName,
    // Asked for of the few that are listed. A model reads what people cannot see: they would approve one text, and it
    // would follow another.
    get description() {
      // Some authors keep the occasions in a field of their own, and a model needs them to choose.
      return removeHidden(whenToUse === undefined ? description : `${description} ${whenToUse}`);
    },
    location: skill.path,
  };
}
