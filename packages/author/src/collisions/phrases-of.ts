import { type Skill, splitClauses } from "@skillet/core";
import { splitWords } from "@skillet/kit/words";
import { topicWords } from "../triggers/advise-author.ts";
import type { TriggerQuery } from "../triggers/trigger-set.ts";
import type { PhraseSource } from "./collision.ts";

/** Words with which a skill says that it is to be called. */
export interface OwnPhrase {
  readonly text: string;
  readonly source: PhraseSource;
}

const MAX_PHRASE_CHARACTERS = 400;

// With fewer, the description has to speak for the skill as well.
const ENOUGH = 3;

/** The messages that a skill claims for itself, the surest first: its trigger set, what it quotes, keywords, sentences. */
export function phrasesOf(skill: Skill, queries: readonly TriggerQuery[] = []): readonly OwnPhrase[] {
  const { description, whenToUse = "", triggers } = skill.manifest;
  const said = [...splitClauses(description, "description"), ...splitClauses(whenToUse, "trigger")];
  const of = (kind: "phrase" | "trigger" | "description"): readonly string[] =>
    said.filter((clause) => clause.kind === kind).map(({ text }) => text);
  const claimed: OwnPhrase[] = [
    ...queries.filter(({ shouldTrigger }) => shouldTrigger).map(({ query }) => from("trigger-set", query)),
    // One word in quotes is mostly a name or a value, no message.
    ...of("phrase")
      .filter((text) => splitWords(text).length > 1)
      .map((text) => from("phrase", text)),
    ...triggers.keywords.map((text) => from("keyword", text)),
    ...of("trigger").map((text) => from("when-to-use", asMessage(text))),
  ];
  const own = withoutRepeats(claimed);
  if (own.length >= ENOUGH) return own;
  return withoutRepeats([...own, ...of("description").map((text) => from("description", asMessage(text)))]);
}

function from(source: PhraseSource, text: string): OwnPhrase {
  return { source, text: text.slice(0, MAX_PHRASE_CHARACTERS).trim() };
}

// Nobody says "Use when the user asks to …" to an agent, and every skill has these words.
const INTRODUCTION =
  /^(?:always |also )?(?:use|trigger|invoke|activate|apply)(?: (?:this|it))?(?: skill)?(?: (?:when(?:ever)?|if|for|to))?(?: (?:the )?users? (?:asks?|wants?|needs?|mentions?|says?)(?: (?:to|for|about))?)?[\s:,]+/i;

function asMessage(sentence: string): string {
  return sentence.replace(INTRODUCTION, "");
}

function withoutRepeats(phrases: readonly OwnPhrase[]): readonly OwnPhrase[] {
  const seen = new Set<string>();
  return phrases.filter(({ text }) => {
    const key = text.replace(/\s+/g, " ").toLowerCase();
    if (seen.has(key) || topicWords(text).length === 0) return false;
    seen.add(key);
    return true;
  });
}
