import { findTerm } from "../index/segment-terms.ts";
import { mentionsOf, rarityOf, type SkillIndex } from "../index/skill-index.ts";
import { USUAL_SHARES } from "../text/usual-shares.ts";

/** A message's term in the index. */
export interface SearchTerm {
  /** Its number in each part; -1 where no skill of the part has it. */
  readonly numbers: readonly number[];
  /** How rare it is among all skills. */
  readonly rarity: number;
  /** How many skills have it anywhere. */
  readonly postings: number;
}

/** Looks a term up in all parts of an index. */
export function findEverywhere({ parts, size }: SkillIndex, term: string): SearchTerm {
  const numbers = parts.map(({ segment }) => findTerm(segment, term));
  let postings = 0;
  let mentions = 0;
  parts.forEach((part, place) => {
    const number = numbers[place] ?? -1;
    if (number < 0) return;
    postings += part.counts.skills[number] ?? 0;
    mentions += mentionsOf(part, number);
  });
  return { numbers, postings, rarity: rarityOf(mentions, size, USUAL_SHARES.get(term)) };
}
