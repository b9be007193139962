import type { SelectedSkill, Skill } from "@skillet/core";
import { compareByteOrder } from "@skillet/kit/order";
import { splitWords, stemWord } from "@skillet/kit/words";
import { splitClauses } from "@skillet/select/parts";
import { hasWord, headerWords, topicWords } from "../triggers/advise-author.ts";
import type { TriggerQuery } from "../triggers/trigger-set.ts";
import type { CollisionDirection, ContestedPhrase, PhraseSource } from "./find-collisions.ts";

const MAX_PHRASES = 5;
const MAX_WORDS = 8;

/** How close to a skill a rival must score to count. */
const CLOSE_MARGIN = 0.05;

/** A rival that is less likely than this takes nothing: it would not be chosen. */
const MIN_RIVAL_SCORE = 0.3;

interface Contested extends ContestedPhrase {
  readonly rival: Skill;
}

/** The rival for a phrase of a skill: the skill ranked above it, or else the one right below. */
export function contestPhrase(
  skill: Skill,
  phrase: OwnPhrase,
  ranked: readonly SelectedSkill[],
): readonly Contested[] {
  const place = ranked.findIndex(({ skill: one }) => one.qualifiedName === skill.qualifiedName);
  const score = ranked[place]?.score ?? 0;
  const before = place === -1 ? ranked : ranked.slice(0, place);
  const close = ranked.slice(1).filter((rival) => score - rival.score <= CLOSE_MARGIN);
  const outcome = place === 0 ? "close" : "stolen";
  return (place === 0 ? close : before)
    .filter((rival) => rival.score >= MIN_RIVAL_SCORE)
    .map((rival) => ({ ...phrase, outcome, score, rivalScore: rival.score, rival: rival.skill }));
}

export function describeLoss(
  from: Skill,
  contested: readonly Contested[],
  queries: number,
): CollisionDirection & { readonly harm: number } {
  const [first] = contested;
  const stolen = contested.filter(({ outcome }) => outcome === "stolen").length;
  const close = contested.length - stolen;
  const rivalWords = new Set(first === undefined ? [] : headerWords(first.rival).map(stemWord));
  const words = new Map<string, number>();
  for (const word of contested.flatMap(({ text }) => topicWords(text)))
    if (hasWord(rivalWords, word)) words.set(word, (words.get(word) ?? 0) + 1);
  const worst = contested.toSorted(
    (left, right) =>
      right.rivalScore - right.score - (left.rivalScore - left.score) ||
      compareByteOrder(left.text, right.text),
  );
  return {
    from: from.qualifiedName,
    to: first?.rival.qualifiedName ?? "",
    queries,
    stolen,
    close,
    share: contested.length / queries,
    phrases: worst.slice(0, MAX_PHRASES).map(({ rival: _, ...phrase }) => phrase),
    sharedWords: Array.from(words)
      .sort((left, right) => right[1] - left[1] || compareByteOrder(left[0], right[0]))
      .slice(0, MAX_WORDS)
      .map(([word]) => word),
    // A close one is half a loss.
    harm: (stolen + close / 2) / queries,
  };
}

interface OwnPhrase {
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

// Users do not say "Use when the user asks to …" to an agent, and every skill has these words.
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
