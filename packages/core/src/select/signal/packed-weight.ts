import type { Segment } from "../index/segment.ts";

const FIRST_STEP = 8;

/**
 * The packed weight of a term in a skill; -1 where it has none.
 *
 * It is asked for terms that most skills have, whose postings lie nearly evenly: the search begins where the skill would
 * stand if they did, and goes on in steps that double.
 */
export function packedWeight(segment: Segment, term: number, skill: number): number {
  if (term < 0) return -1;
  const { postingStarts, postingSkills, postingWeights, keys } = segment;
  const start = postingStarts[term] as number;
  const end = postingStarts[term + 1] as number;
  if (start >= end) return -1;
  let low = start;
  let high = end - 1;
  const guess = start + Math.floor((skill * (end - start)) / keys.length);
  if ((postingSkills[guess] as number) <= skill) {
    low = guess;
    for (let step = FIRST_STEP; low + step <= high; step *= 2) {
      if ((postingSkills[low + step] as number) > skill) high = low + step;
      else low += step;
    }
  } else {
    high = guess;
    for (let step = FIRST_STEP; high - step >= low; step *= 2) {
      if ((postingSkills[high - step] as number) < skill) low = high - step;
      else high -= step;
    }
  }
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = postingSkills[middle] as number;
    if (found === skill) return postingWeights[middle] as number;
    if (found < skill) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
