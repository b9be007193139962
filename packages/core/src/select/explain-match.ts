import { removeHidden } from "@skillet/kit/text";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import type { Skill } from "../registry/skill.ts";
import { COMMAND_MARK, EXTENSION_MARK } from "./document/find-evidence.ts";
import { findPhrases } from "./document/split-clauses.ts";
import { PHRASE_KIND, readClauses } from "./index/segment.ts";
import type { SkillIndex } from "./index/skill-index.ts";
import { findEverywhere } from "./signal/find-search-term.ts";
import type { SignalRow } from "./signal/measure-signals.ts";
import type { Message } from "./signal/message.ts";

const MAX_REASONS = 6;
const MAX_PHRASES = 2;
const MAX_WORDS = 4;
const MAX_QUOTED_CHARACTERS = 80;
const NEGATIVE_FLOOR = 0.25;
const MAX_FIELD_CHARACTERS = 4_000;

interface MatchFacts {
  readonly isMentioned: boolean;
  readonly patterns: readonly string[];
  /** The message's commands and extensions that the skill has too, marked. */
  readonly evidence: readonly string[];
  readonly priors: readonly string[];
  /** How use has moved its threshold. */
  readonly learned?: string | undefined;
}

/** Why a skill was chosen, in words, the strongest reason first. */
export function explainMatch(
  skill: Skill,
  message: Message,
  found: {
    readonly signals: SignalRow;
    readonly facts: MatchFacts;
    /** The message's words that the header has too, the rarest first. */
    readonly words: readonly string[];
  },
): readonly string[] {
  const { signals, facts } = found;
  const reasons: string[] = [];
  if (facts.isMentioned) reasons.push(`mentioned as "${quote(skill.name)}"`);
  for (const pattern of facts.patterns) reasons.push(`pattern \`${quote(pattern)}\` in triggers`);
  if (signals.phrase > 0) reasons.push(...explainPhrases(skill, message));
  if (!facts.isMentioned && signals.nameExact === 1) reasons.push(`name "${quote(skill.name)}"`);
  for (const term of facts.evidence) {
    if (term.startsWith(COMMAND_MARK)) reasons.push(`command \`${term.slice(COMMAND_MARK.length)}\``);
    else reasons.push(`extension .${term.slice(EXTENSION_MARK.length)}`);
  }
  const words = found.words.slice(0, MAX_WORDS);
  if (words.length > 0)
    reasons.push(`words ${words.map((word) => `"${word}"`).join(", ")} in name or description`);
  else if (signals.coverage > 0) reasons.push("words of its instructions");
  reasons.push(...facts.priors);
  if (signals.negative >= NEGATIVE_FLOOR) reasons.push("near to what it says it is not for");
  // Always said: it is the one reason that a person can take back.
  if (facts.learned !== undefined) return [...reasons.slice(0, MAX_REASONS - 1), facts.learned];
  return reasons.slice(0, MAX_REASONS);
}

function explainPhrases({ manifest }: Skill, message: Message): string[] {
  const declared = [...manifest.triggers.keywords, ...manifest.triggers.verbs];
  const quoted = (text: string | undefined): string[] =>
    findPhrases((text ?? "").slice(0, MAX_FIELD_CHARACTERS)).map(({ text: phrase }) => phrase);
  const places: [string, readonly string[]][] = [
    ["triggers", declared],
    ["when_to_use", quoted(manifest.whenToUse)],
    ["description", quoted(manifest.description)],
  ];
  const spoken = ` ${message.sequence.map((term) => message.terms[term] ?? "?").join(" ")} `;
  return places
    .flatMap(([place, phrases]) =>
      phrases
        .filter((phrase) => hasPhrase(spoken, phrase))
        .map((phrase) => `phrase '${quote(phrase)}' in ${place}`),
    )
    .slice(0, MAX_PHRASES);
}

function hasPhrase(spoken: string, phrase: string): boolean {
  const words = splitWords(phrase);
  if (words.every((word) => STOP_WORDS.has(word))) return false;
  return spoken.includes(` ${words.map(stemWord).join(" ")} `);
}

/** What a skill's author wrote, on one line and without what a reader would not see: models read reasons too. */
function quote(text: string): string {
  const line = removeHidden(text).replace(/\s+/g, " ").trim();
  return line.length <= MAX_QUOTED_CHARACTERS ? line : `${line.slice(0, MAX_QUOTED_CHARACTERS - 1)}…`;
}

/** Which words of a message stand in the header of a skill, the rarest first; from the index, without its text. */
export function sharedWords(
  index: SkillIndex,
  message: Message,
  { place, skill }: { readonly place: number; readonly skill: number },
): readonly string[] {
  const segment = index.parts[place]?.segment;
  if (segment === undefined) return [];
  const asked = new Map<number, { readonly word: string; readonly rarity: number }>();
  message.terms.forEach((term, slot) => {
    const word = message.words[slot] ?? term;
    if (STOP_WORDS.has(word)) return;
    const { numbers, rarity } = findEverywhere(index, term);
    asked.set(numbers[place] ?? -1, { word, rarity });
  });
  const found = new Set<{ readonly word: string; readonly rarity: number }>();
  for (const { kind, start, end } of readClauses(segment, skill)) {
    for (let at = start; kind < PHRASE_KIND && at < end; at += 1) {
      const word = asked.get(segment.clauseTerms[at] ?? -1);
      if (word !== undefined) found.add(word);
    }
  }
  return [...found].sort((left, right) => right.rarity - left.rarity).map(({ word }) => word);
}
