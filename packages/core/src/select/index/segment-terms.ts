import { charGrams } from "../text/char-grams.ts";
import { hashText } from "../text/hash-text.ts";
import { NumberList } from "./number-list.ts";
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

/** The terms' units and a table with at least as many free slots as taken ones. */
export function packTerms(terms: readonly string[]): Pick<Segment, "termUnits" | "termStarts" | "termSlots"> {
  const termStarts = new Uint32Array(terms.length + 1);
  terms.forEach((term, index) => {
    termStarts[index + 1] = (termStarts[index] ?? 0) + term.length;
  });
  const termUnits = new Uint16Array(termStarts[terms.length] ?? 0);
  const termSlots = new Int32Array(2 ** Math.ceil(Math.log2(terms.length * 2 + 2))).fill(-1);
  const mask = termSlots.length - 1;
  terms.forEach((term, index) => {
    const start = termStarts[index] ?? 0;
    for (let unit = 0; unit < term.length; unit += 1) termUnits[start + unit] = term.charCodeAt(unit);
    let slot = hashText(term) & mask;
    while ((termSlots[slot] ?? -1) >= 0) slot = (slot + 1) & mask;
    termSlots[slot] = index;
  });
  return { termUnits, termStarts, termSlots };
}

/** The character 4-grams of the terms of headers. */
export function packGrams(
  terms: readonly string[],
  headerCounts: Uint32Array,
): Pick<Segment, "gramStarts" | "grams"> {
  const gramStarts = new Uint32Array(terms.length + 1);
  const grams = new NumberList();
  terms.forEach((term, index) => {
    if ((headerCounts[index] ?? 0) > 0) for (const gram of charGrams(term)) grams.push(gram);
    gramStarts[index + 1] = grams.length;
  });
  return { gramStarts, grams: grams.toUint32Array() };
}
