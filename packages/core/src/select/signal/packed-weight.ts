import type { Segment } from "../index/segment.ts";

/** The packed weight of a term in a skill, by binary search among those that have it; -1 where it has none. */
export function packedWeight(segment: Segment, term: number, skill: number): number {
  if (term < 0) return -1;
  const { postingStarts, postingSkills, postingWeights } = segment;
  let low = postingStarts[term] ?? 0;
  let high = (postingStarts[term + 1] ?? 0) - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = postingSkills[middle] as number;
    if (found === skill) return postingWeights[middle] as number;
    if (found < skill) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
