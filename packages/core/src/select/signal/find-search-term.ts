import { findTerm } from "../index/segment.ts";
import { type IndexPart, mentionsOf, rarityOf, type SkillIndex } from "../index/skill-index.ts";
import { USUAL_SHARES } from "../text/usual-shares.ts";
import { packedWeight } from "./gather-candidates.ts";

export interface SearchTerm {
  /** Its number in each part; -1 where no skill of the part has it. */
  readonly numbers: readonly number[];
  /** How rare it is among all skills. */
  readonly rarity: number;
  /** How many skills have it anywhere. */
  readonly postings: number;
}

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

/** The message's commands and extensions in the index; how rare they are counts by how many skills have them. */
export function findEvidenceTerms(index: SkillIndex, evidence: readonly string[]): readonly SearchTerm[] {
  return evidence
    .map((term) => findEverywhere(index, term))
    .filter(({ postings }) => postings > 0)
    .map((term) => ({ ...term, rarity: rarityOf(term.postings, index.size) / rarityOf(1, index.size) }));
}

/** How telling the rarest evidence is that a skill and the message both have; 0 for none. */
export function evidenceIn(
  part: IndexPart,
  candidate: { readonly place: number; readonly skill: number },
  terms: readonly SearchTerm[],
): number {
  let most = 0;
  for (const { numbers, rarity } of terms) {
    if (rarity > most && packedWeight(part.segment, numbers[candidate.place] ?? -1, candidate.skill) >= 0)
      most = rarity;
  }
  return most;
}
