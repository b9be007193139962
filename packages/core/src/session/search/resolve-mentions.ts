import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { quoteName, showName } from "@skillet/kit/text";
import {
  findMentions,
  MAX_MENTION_CHARACTERS,
  MAX_MENTIONS,
  type Mention,
  type MentionSearch,
  searchMentions,
} from "@skillet/select/parts";
import { normaliseName } from "../../format/check-name.ts";
import { skillsNamed } from "../../registry/find-skill.ts";
import type { Skill } from "../../registry/skill.ts";
import { suggestNames } from "../../registry/suggest-names.ts";
import { isSubstantive } from "./catalog-for.ts";

/** A skill that a message names, and where. */
export interface MentionedSkill {
  readonly skill: Skill;
  readonly mention: Mention;
}

/** The skills that a message names. */
export interface ResolvedMentions {
  /** Each skill once, in the order of the message. */
  readonly skills: readonly MentionedSkill[];
  /** Mentions that mean several skills or none, and parts of the message that were not searched. */
  readonly diagnostics: readonly Diagnostic[];
}

export function resolveMentions(message: string, skills: readonly Skill[]): ResolvedMentions {
  const found = new Map<Skill, MentionedSkill>();
  const diagnostics: Diagnostic[] = [];
  const { mentions, stoppedBy } = searchMentions(message);
  // A link says exactly which skill is meant; other mentions of its name then do not count.
  const blocked = new Set(mentions.filter(({ form }) => form === "link").map(({ name }) => name));
  for (const mention of mentions) {
    if (mention.form !== "link" && blocked.has(mention.name)) continue;
    const candidates = candidatesOf(mention, skills);
    const [only] = candidates;
    if (candidates.length === 1 && only !== undefined) {
      if (!found.has(only)) found.set(only, { skill: only, mention });
    } else if (candidates.length > 1) diagnostics.push(ambiguous(mention, candidates, message));
    else if (isMeant(mention)) diagnostics.push(unknown(mention, skills, message));
  }
  if (stoppedBy !== undefined) diagnostics.push(unread(stoppedBy));
  return { skills: [...found.values()], diagnostics };
}

function candidatesOf({ form, name, path }: Mention, skills: readonly Skill[]): readonly Skill[] {
  if (form === "link")
    return skills.filter(
      (skill) => skill.path === path || skill.directory === path || skill.alsoAt.includes(path ?? ""),
    );
  return skillsNamed(skills, name);
}

// Within a text, a slash is more often a path or a choice, and a dollar sign a variable or a price.
function isMeant({ form, start, name }: Mention): boolean {
  return form === "link" || (start === 0 && form === "slash") || (form === "dollar" && name.includes("-"));
}

function ambiguous(mention: Mention, candidates: readonly Skill[], message: string): Diagnostic {
  const names = candidates.map(({ qualifiedName }) => showName(qualifiedName)).join(", ");
  const text = `${quote(mention, message)} can mean several skills: ${names}.`;
  return diagnostic(
    "error",
    "ambiguous-mention",
    "message",
    text,
    "Name one of them as it is written there.",
  );
}

function unknown(mention: Mention, skills: readonly Skill[], message: string): Diagnostic {
  const names = suggestNames(
    mention.name,
    skills.map(({ qualifiedName }) => qualifiedName),
  );
  const hint =
    names.length === 0
      ? "See which there are: skillet show"
      : `Did you mean ${names.map(showName).join(" or ")}?`;
  const text = `There is no skill for ${quote(mention, message)}.`;
  return diagnostic("warning", "unknown-mention", "message", text, hint);
}

function unread(stoppedBy: NonNullable<MentionSearch["stoppedBy"]>): Diagnostic {
  const text =
    stoppedBy === "length"
      ? `The message is longer than ${MAX_MENTION_CHARACTERS} characters; what it names after those was not looked for.`
      : `The message names more than ${MAX_MENTIONS} things; those after the first ${MAX_MENTIONS} were not looked for.`;
  const hint = "Name skills at the beginning of a message, or in one of its own.";
  return diagnostic("warning", "mentions-unread", "message", text, hint);
}

function quote({ start, end }: Mention, message: string): string {
  return quoteName(message.slice(start, end));
}

/** Finds the skills that messages name, without looking at all skills for each message. */
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

  // Every skill that one of the mentions could mean, so that matches and doubts stay the same.
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

/** Empty if nothing else is said: the words of `/pdf-forms` are not a hint at other PDF skills. */
export function withoutMentions(message: string, named: readonly MentionedSkill[]): string {
  if (named.length === 0) return message;
  const isNamed = new Set(named.map(({ mention }) => keyOf(mention)));
  let rest = "";
  let end = 0;
  for (const mention of findMentions(message)) {
    if (!isNamed.has(keyOf(mention))) continue;
    rest += `${message.slice(end, mention.start)} `;
    end = mention.end;
  }
  rest += message.slice(end);
  return isSubstantive(rest) ? rest : "";
}

function keyOf({ name, path }: Mention): string {
  return JSON.stringify([name, path]);
}
