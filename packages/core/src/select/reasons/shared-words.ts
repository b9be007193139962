import { STOP_WORDS } from "@skillet/kit/words";
import { PHRASE_KIND, readClauses } from "../index/read-clauses.ts";
import type { SkillIndex } from "../index/skill-index.ts";
import { findEverywhere } from "../signal/find-search-term.ts";
import type { Message } from "../signal/message.ts";

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
