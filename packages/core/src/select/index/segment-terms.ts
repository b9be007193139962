import { hashText } from "../text/hash-text.ts";
import type { Segment } from "./segment.ts";

/** The number of a term in a segment; -1 where no skill of it has the term. */
export function findTerm(segment: Segment, term: string): number {
  const { termSlots, termStarts, termUnits } = segment;
  const mask = termSlots.length - 1;
  for (let slot = hashText(term) & mask; ; slot = (slot + 1) & mask) {
    const number = termSlots[slot] ?? -1;
    if (number < 0) return -1;
    const start = termStarts[number] ?? 0;
    if ((termStarts[number + 1] ?? 0) - start !== term.length) continue;
    let unit = 0;
    while (unit < term.length && termUnits[start + unit] === term.charCodeAt(unit)) unit += 1;
    if (unit === term.length) return number;
  }
}

/** The text of a term. */
export function termText({ termUnits, termStarts }: Segment, term: number): string {
  return String.fromCharCode(...termUnits.subarray(termStarts[term] ?? 0, termStarts[term + 1] ?? 0));
}
