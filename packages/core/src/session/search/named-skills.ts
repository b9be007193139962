import { normaliseName } from "../../format/check-name.ts";
import { findMentions, type Mention } from "../../mention/find-mentions.ts";
import type { Skill } from "../../registry/skill.ts";
import { type MentionedSkill, resolveMentions } from "../mention/resolve-mentions.ts";

/** Finds the skills that messages name, without a look at all of them for each message. */
export class NamedSkills {
  readonly #skills: readonly Skill[];
  readonly #byName = new Map<string, Skill[]>();

  constructor(skills: readonly Skill[]) {
    this.#skills = skills;
    for (const skill of skills)
      for (const name of new Set([skill.name, skill.directoryName].map(normaliseName))) {
        const same = this.#byName.get(name);
        if (same === undefined) this.#byName.set(name, [skill]);
        else same.push(skill);
      }
  }

  find(message: string): readonly MentionedSkill[] {
    const mentions = findMentions(message);
    return mentions.length === 0 ? [] : resolveMentions(message, this.#candidates(mentions)).skills;
  }

  // Every skill that one of the mentions could mean, so that the same are found, and the same are in doubt.
  #candidates(mentions: readonly Mention[]): readonly Skill[] {
    if (mentions.some(({ form }) => form === "link")) return this.#skills;
    const found = new Set<Skill>();
    for (const { name } of mentions) {
      const bare = name.slice(name.lastIndexOf(":") + 1);
      for (const written of [name, bare])
        for (const skill of this.#byName.get(normaliseName(written)) ?? []) found.add(skill);
    }
    return [...found];
  }
}
