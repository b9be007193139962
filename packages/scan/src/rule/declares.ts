import type { SkillProfile } from "./skill-profile.ts";

/** The first of the words that the skill's name or description says; headings do not count, since every skill has a setup. */
export function declares(profile: SkillProfile, words: readonly string[]): string | undefined {
  let said = SAID.get(profile);
  if (said === undefined) {
    said = new Set(`${profile.name} ${profile.description}`.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
    SAID.set(profile, said);
  }
  return words.find((word) => said.has(word));
}

const SAID = new WeakMap<SkillProfile, ReadonlySet<string>>();
