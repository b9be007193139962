import type { Diagnostic } from "@skillet/kit/diagnostics";
import { quoteName, showName } from "@skillet/kit/text";
import { normaliseName } from "../../format/check-name.ts";
import {
  MAX_MENTION_CHARACTERS,
  MAX_MENTIONS,
  type Mention,
  type MentionSearch,
  searchMentions,
} from "../../mention/find-mentions.ts";
import { isQualified } from "../../registry/scope-prefix.ts";
import type { Skill } from "../../registry/skill.ts";
import { suggestNames } from "../../registry/suggest-names.ts";

/** A skill that a message names, and where. */
export interface MentionedSkill {
  readonly skill: Skill;
  readonly mention: Mention;
}

/** What a message names. */
export interface ResolvedMentions {
  /** Each skill once, in the order of the message. */
  readonly skills: readonly MentionedSkill[];
  /** Mentions that mean several skills, or none, and parts of the message that were not searched. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds out which of the skills a person may invoke are named in a message. */
export function resolveMentions(message: string, skills: readonly Skill[]): ResolvedMentions {
  const found = new Map<Skill, MentionedSkill>();
  const diagnostics: Diagnostic[] = [];
  const { mentions, stoppedBy } = searchMentions(message);
  // A link says exactly which one is meant; its name then no longer stands for another.
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
  const exact = skills.filter(({ qualifiedName }) => qualifiedName === name);
  if (exact.length > 0) return exact;
  const named = skills.filter(
    (skill) => `${skill.scope}:${skill.name}` === name || (!isQualified(name) && skill.name === name),
  );
  // Who names a scope or a plugin means a skill of it, and no other that calls itself so.
  if (named.length > 0 || isQualified(name)) return named;
  const inFolder = skills.filter(({ kind, directoryName }) => kind === "skill" && directoryName === name);
  if (inFolder.length > 0) return inFolder;
  // Keyboards write `é` in two ways.
  const normalised = normaliseName(name);
  return skills.filter((skill) => normaliseName(skill.name) === normalised);
}

// A slash in the middle of a text is more often a path or a choice, and a dollar sign a variable or a price.
function isMeant({ form, start, name }: Mention): boolean {
  return form === "link" || (start === 0 && form === "slash") || (form === "dollar" && name.includes("-"));
}

function ambiguous(mention: Mention, candidates: readonly Skill[], message: string): Diagnostic {
  const names = candidates.map(({ qualifiedName }) => showName(qualifiedName)).join(", ");
  return {
    code: "ambiguous-mention",
    severity: "error",
    message: `${quote(mention, message)} can mean several skills: ${names}.`,
    file: "message",
    hint: "Name one of them as it is written there.",
  };
}

function unknown(mention: Mention, skills: readonly Skill[], message: string): Diagnostic {
  const names = suggestNames(
    mention.name,
    skills.map(({ qualifiedName }) => qualifiedName),
  );
  return {
    code: "unknown-mention",
    severity: "warning",
    message: `There is no skill for ${quote(mention, message)}.`,
    file: "message",
    hint:
      names.length === 0
        ? "See which there are: skillet show"
        : `Did you mean ${names.map(showName).join(" or ")}?`,
  };
}

function unread(stoppedBy: NonNullable<MentionSearch["stoppedBy"]>): Diagnostic {
  return {
    code: "mentions-unread",
    severity: "warning",
    message:
      stoppedBy === "length"
        ? `The message is longer than ${MAX_MENTION_CHARACTERS} characters; what it names behind those was not looked for.`
        : `The message names more than ${MAX_MENTIONS} things; those behind the first ${MAX_MENTIONS} were not looked for.`,
    file: "message",
    hint: "Name skills at the beginning of a message, or in one of its own.",
  };
}

function quote({ start, end }: Mention, message: string): string {
  return quoteName(message.slice(start, end));
}
