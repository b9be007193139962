import { type IndexPart, rarityOf, type SkillIndex } from "../index/skill-index.ts";
import { findEverywhere, type SearchTerm } from "./find-search-term.ts";
import { packedWeight } from "./packed-weight.ts";

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
