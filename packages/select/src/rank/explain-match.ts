import { removeHidden } from "@skillet/kit/text";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import { findTerm, packedWeight, type SkillIndex } from "../index/skill-index.ts";
import type { SelectableSkill } from "../selectable-skill.ts";
import { EXTENSION_MARK } from "../text/find-evidence.ts";
import type { Message } from "../text/message.ts";
import { nearTerms } from "../text/near-words.ts";
import { type Clause, splitClauses } from "../text/split-clauses.ts";
import { formsOf } from "../text/term-table.ts";
import type { Candidate } from "./gather-candidates.ts";
import { NEGATIVE_FLOOR } from "./judge-probability.ts";

const MAX_REASONS = 6;
const MAX_PHRASES = 2;
const MAX_WORDS = 4;
const MAX_QUOTED_CHARACTERS = 80;
const SAMPLE_FLOOR = 0.4;
const MAX_FIELD_CHARACTERS = 4_000;

/** Why a skill was chosen, in words, the strongest reason first. */
export function explainMatch(
  index: SkillIndex,
  message: Message,
  match: {
    readonly candidate: Candidate;
    readonly skill: SelectableSkill;
    readonly isMentioned: boolean;
    readonly patterns: readonly string[];
    readonly priors: readonly string[];
    readonly learned: string | undefined;
  },
): readonly string[] {
  const { skill, candidate: signals, isMentioned, learned } = match;
  const reasons: string[] = [];
  if (isMentioned) reasons.push(`mentioned as "${quote(skill.name)}"`);
  for (const pattern of match.patterns) reasons.push(`pattern \`${quote(pattern)}\` in triggers`);
  if (signals.phrase > 0) reasons.push(...explainPhrases(skill, message));
  if (signals.verb > 0) reasons.push(`verb '${message.lead}' in triggers`);
  if (!isMentioned && signals.nameExact === 1) reasons.push(`name "${quote(skill.name)}"`);
  for (const extension of signals.extension > 0 ? message.extensions : [])
    if (packedWeight(index, index.numberOf(EXTENSION_MARK + extension), signals.skill) >= 0)
      reasons.push(`extension .${extension}`);
  const words = explainWords(index, skill, message);
  reasons.push(...words);
  if (words.length === 0 && signals.coverage > 0) reasons.push("words of its instructions");
  if (signals.sample >= SAMPLE_FLOOR) reasons.push("near to a sample message");
  reasons.push(...match.priors);
  if (signals.negativeOnly >= NEGATIVE_FLOOR) reasons.push("near to what it says it is not for");
  // Always said: it is the one reason that a person can take back.
  if (learned !== undefined) return [...reasons.slice(0, MAX_REASONS - 1), learned];
  return reasons.slice(0, MAX_REASONS);
}

function explainPhrases(skill: SelectableSkill, { sequence, words }: Message): string[] {
  const spoken = formsOf(sequence.map((slot) => words[slot] ?? ""));
  return readHeader(skill)
    .phrases.filter(({ forms }) => spoken.includes(forms))
    .slice(0, MAX_PHRASES)
    .map(({ reason }) => reason);
}

/** Quotes a skill's author on one line, without what a reader would not see: models read reasons too. */
function quote(text: string): string {
  const line = removeHidden(text).replace(/\s+/g, " ").trim();
  return line.length <= MAX_QUOTED_CHARACTERS ? line : `${line.slice(0, MAX_QUOTED_CHARACTERS - 1)}…`;
}

/** The words of the header, as they stand there, that are words of the message or other forms of them, the rarest first. */
function explainWords(index: SkillIndex, skill: SelectableSkill, message: Message): string[] {
  const shown = new Set<string>();
  return readHeader(skill).words.flatMap(([place, wordsOf]) => {
    const rarest = message.terms
      .flatMap((term, slot) => {
        const words = shown.has(term)
          ? []
          : [term, ...nearTerms(term)].flatMap((one) => wordsOf.get(one) ?? []);
        const said = message.words[slot] ?? "";
        const [word] = words.includes(said) ? [said] : words;
        const meant = word !== undefined && stemWord(word) !== term ? ` for "${said}"` : "";
        return word === undefined ? [] : [{ term, word, meant, rarity: findTerm(index, term).rarity }];
      })
      .sort((left, right) => right.rarity - left.rarity)
      .slice(0, MAX_WORDS);
    for (const { term } of rarest) shown.add(term);
    const quoted = rarest.map(({ word, meant }) => `"${word}"${meant}`).join(", ");
    return rarest.length === 0 ? [] : [`words ${quoted} in ${place}`];
  });
}

/** The parts of a header that reasons quote, by place: its phrases, and its words by their terms. */
interface HeaderTexts {
  readonly phrases: readonly { readonly reason: string; readonly forms: string }[];
  readonly words: readonly (readonly [string, ReadonlyMap<string, readonly string[]>])[];
}

// Stemming a header takes longer than finding a skill, and the same ones are shown again and again.
const READ = new WeakMap<SelectableSkill, HeaderTexts>();

function readHeader(skill: SelectableSkill): HeaderTexts {
  const known = READ.get(skill);
  if (known !== undefined) return known;
  const { description, whenToUse = "", tags, triggers } = skill.manifest;
  const declared = [...triggers.keywords, ...triggers.verbs];
  const own = splitClauses(description.slice(0, MAX_FIELD_CHARACTERS), "description");
  const occasions = splitClauses(whenToUse.slice(0, MAX_FIELD_CHARACTERS), "description");
  // Clauses about the limits of a skill are of a third kind, and not quoted.
  const textsOf = (clauses: readonly Clause[], kind: Clause["kind"]): readonly string[] =>
    clauses.flatMap((clause) => (clause.kind === kind ? clause.text : []));
  const header: HeaderTexts = {
    phrases: [
      ...phrasesOf("triggers", declared),
      ...phrasesOf("when_to_use", textsOf(occasions, "phrase")),
      ...phrasesOf("description", textsOf(own, "phrase")),
    ],
    words: [
      ["name or description", wordsByTerm([skill.name, ...textsOf(own, "description")])],
      [
        "when_to_use, triggers or tags",
        wordsByTerm([...textsOf(occasions, "description"), ...tags, ...declared]),
      ],
    ],
  };
  READ.set(skill, header);
  return header;
}

function phrasesOf(place: string, texts: readonly string[]): HeaderTexts["phrases"] {
  return texts.flatMap((text) => {
    const words = splitWords(text);
    if (words.every((word) => STOP_WORDS.has(word))) return [];
    return { reason: `phrase '${quote(text)}' in ${place}`, forms: formsOf(words) };
  });
}

function wordsByTerm(texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>();
  for (const word of new Set(splitWords(texts.join("\n")))) {
    if (STOP_WORDS.has(word)) continue;
    const term = stemWord(word);
    words.set(term, [...(words.get(term) ?? []), word]);
  }
  return words;
}
