import { PHRASE_KIND, readClauses } from "./read-clauses.ts";
import type { Segment } from "./segment.ts";

/** By term of a segment: how many headers have it, and how many skills have it anywhere. */
export interface TermCounts {
  readonly headers: Uint32Array;
  readonly skills: Uint32Array;
}

/** Counts the skills that are alive; whoever is gone says nothing about how rare a word is. */
export function countLiving(segment: Segment, alive: Uint8Array | undefined): TermCounts {
  const { headerCounts, postingStarts, postingSkills } = segment;
  const skills = Uint32Array.from(headerCounts, (_, term) => {
    const start = postingStarts[term] ?? 0;
    const end = postingStarts[term + 1] ?? 0;
    if (alive === undefined) return end - start;
    let count = 0;
    for (let at = start; at < end; at += 1) count += alive[postingSkills[at] as number] as number;
    return count;
  });
  if (alive === undefined) return { headers: headerCounts, skills };
  return { headers: livingHeaders(segment, (skill) => alive[skill] !== 0), skills };
}

/** By term: how many headers have it, without those of skills that are gone. */
export function livingHeaders(segment: Segment, isAlive: (skill: number) => boolean): Uint32Array {
  const headers = segment.headerCounts.slice();
  for (let skill = 0; skill < segment.keys.length; skill += 1) {
    if (isAlive(skill)) continue;
    const seen = new Set<number>();
    for (const { kind, start, end } of readClauses(segment, skill))
      if (kind < PHRASE_KIND) for (const term of segment.clauseTerms.subarray(start, end)) seen.add(term);
    for (const term of seen) headers[term] = Math.max(0, (headers[term] as number) - 1);
  }
  return headers;
}
