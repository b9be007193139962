import type { FactPlace } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { isDocument } from "./is-teaching.ts";

/** The first of the words that the skill's name or description says; headings do not count, since every skill has a setup. */
export function declares(profile: SkillProfile, words: readonly string[]): string | undefined {
  const said = declaredWords(profile);
  return words.find((word) => said.has(word));
}

/**
 * The words that speak for a place: in a document also those of the headings, which its reader has before their eyes; a
 * script is run by somebody who read the description at most.
 */
export function wordsFor(place: FactPlace | undefined, profile: SkillProfile): ReadonlySet<string> {
  return place === undefined || isDocument(place) || place.medium === "frontmatter"
    ? profile.words
    : declaredWords(profile);
}

function declaredWords(profile: SkillProfile): ReadonlySet<string> {
  let said = SAID.get(profile);
  if (said === undefined) {
    said = new Set(`${profile.name} ${profile.description}`.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
    SAID.set(profile, said);
  }
  return said;
}

const SAID = new WeakMap<SkillProfile, ReadonlySet<string>>();
