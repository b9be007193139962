import type { IndexPart } from "../index/skill-index.ts";
import type { Candidate } from "./gather-candidates.ts";

/** So many of those that are set apart are looked at, besides the others. */
const MAX_APART = 16;

/** Takes those that are set apart out of a part before its best are counted: the best of them, and whoever is asked for. */
export function takeApart(
  { scores, shares, apart }: IndexPart,
  { place, asked }: { readonly place: number; readonly asked: Set<number> },
): readonly Candidate[] {
  if (apart === undefined) return [];
  const found: Candidate[] = [];
  const best: Candidate[] = [];
  for (let index = 0; index < apart.length; index += 1) {
    const skill = apart[index] as number;
    const relevance = scores[skill] as number;
    const one = { place, skill, relevance, coverage: shares[skill] as number };
    if (asked.delete(skill)) found.push(one);
    else if (relevance > 0) best.push(one);
    scores[skill] = 0;
  }
  best.sort((left, right) => right.relevance - left.relevance || left.skill - right.skill);
  return [...found, ...best.slice(0, MAX_APART)];
}
