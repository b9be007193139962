import { removeHidden } from "@skillet/kit/text";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import { eachClause, findTerm, PHRASE_KIND, type SkillIndex } from "../index/skill-index.ts";
import type { SelectableSkill } from "../selectable-skill.ts";
import { COMMAND_MARK, EXTENSION_MARK } from "../text/find-evidence.ts";
import type { Message } from "../text/message.ts";
import { splitClauses } from "../text/split-clauses.ts";
import { evidenceIn, findEvidenceTerms, type Measured } from "./measure-signals.ts";

const MAX_REASONS = 6;
const MAX_PHRASES = 2;
const MAX_WORDS = 4;
const MAX_QUOTED_CHARACTERS = 80;
const NEGATIVE_FLOOR = 0.25;
const MAX_FIELD_CHARACTERS = 4_000;

/** Why a skill was chosen, in words, the strongest reason first. */
export function explainMatch(
  index: SkillIndex,
  message: Message,
  match: {
    readonly one: Measured;
    readonly skill: SelectableSkill;
    readonly isMentioned: boolean;
    readonly patterns: readonly string[];
    readonly priors: readonly string[];
    /** The words that its header shares with the message, the rarest first. */
    readonly words: readonly string[];
    /** How use has moved its threshold. */
    readonly learned: string | undefined;
  },
): readonly string[] {
  const { skill, isMentioned, learned } = match;
  const { candidate, signals } = match.one;
  const reasons: string[] = [];
  if (isMentioned) reasons.push(`mentioned as "${quote(skill.name)}"`);
  for (const pattern of match.patterns) reasons.push(`pattern \`${quote(pattern)}\` in triggers`);
  if (signals.phrase > 0) reasons.push(...explainPhrases(skill, message));
  if (!isMentioned && signals.nameExact === 1) reasons.push(`name "${quote(skill.name)}"`);
  for (const term of signals.command > 0 || signals.extension > 0 ? message.evidence : []) {
    if (evidenceIn(index, candidate.skill, findEvidenceTerms(index, [term])) === 0) continue;
    if (term.startsWith(COMMAND_MARK)) reasons.push(`command \`${term.slice(COMMAND_MARK.length)}\``);
    else reasons.push(`extension .${term.slice(EXTENSION_MARK.length)}`);
  }
  const words = match.words.slice(0, MAX_WORDS);
  if (words.length > 0)
    reasons.push(`words ${words.map((word) => `"${word}"`).join(", ")} in name or description`);
  else if (signals.coverage > 0) reasons.push("words of its instructions");
  reasons.push(...match.priors);
  if (signals.negative >= NEGATIVE_FLOOR) reasons.push("near to what it says it is not for");
  // Always said: it is the one reason that a person can take back.
  if (learned !== undefined) return [...reasons.slice(0, MAX_REASONS - 1), learned];
  return reasons.slice(0, MAX_REASONS);
}

function explainPhrases({ manifest }: SelectableSkill, message: Message): string[] {
  const { triggers, whenToUse, description } = manifest;
  const quoted = (text = ""): string[] =>
    splitClauses(text.slice(0, MAX_FIELD_CHARACTERS), "description").flatMap((clause) =>
      clause.kind === "phrase" ? clause.text : [],
    );
  const places: [string, readonly string[]][] = [
    ["triggers", [...triggers.keywords, ...triggers.verbs]],
    ["when_to_use", quoted(whenToUse)],
    ["description", quoted(description)],
  ];
  const spoken = ` ${message.sequence.map((term) => message.terms[term] ?? "?").join(" ")} `;
  const isSpoken = (phrase: string): boolean => {
    const words = splitWords(phrase);
    if (words.every((word) => STOP_WORDS.has(word))) return false;
    return spoken.includes(` ${words.map(stemWord).join(" ")} `);
  };
  return places
    .flatMap(([place, phrases]) =>
      phrases.filter(isSpoken).map((phrase) => `phrase '${quote(phrase)}' in ${place}`),
    )
    .slice(0, MAX_PHRASES);
}

/** Quotes a skill's author on one line, without what a reader would not see: models read reasons too. */
function quote(text: string): string {
  const line = removeHidden(text).replace(/\s+/g, " ").trim();
  return line.length <= MAX_QUOTED_CHARACTERS ? line : `${line.slice(0, MAX_QUOTED_CHARACTERS - 1)}…`;
}

/** Tells which words of a message stand in the header of a skill, the rarest first; from the index, without its text. */
export function createWordFinder(index: SkillIndex, message: Message): (skill: number) => readonly string[] {
  const said = new Map<number, { readonly word: string; readonly rarity: number }>();
  message.terms.forEach((term, slot) => {
    const word = message.words[slot] ?? term;
    const { number, rarity } = findTerm(index, term);
    if (!STOP_WORDS.has(word)) said.set(number, { word, rarity });
  });
  return (skill) => {
    const shared = new Set<number>();
    eachClause(index, skill, (kind, start, end) => {
      if (kind >= PHRASE_KIND) return;
      for (const term of index.clauseTerms.subarray(start, end)) if (said.has(term)) shared.add(term);
    });
    return [...shared]
      .flatMap((term) => said.get(term) ?? [])
      .sort((left, right) => right.rarity - left.rarity)
      .map(({ word }) => word);
  };
}
