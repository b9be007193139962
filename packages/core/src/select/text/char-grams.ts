import { HASH_START, hashUnit } from "./hash-text.ts";

const GRAM_LENGTH = 4;
const EDGE = 0x5f;

/** The hashes of a term's character 4-grams, its edges marked; a short term has one, the whole of it. */
export function charGrams(term: string): number[] {
  const units = [EDGE];
  for (let index = 0; index < term.length; index += 1) units.push(term.charCodeAt(index));
  units.push(EDGE);
  if (units.length <= GRAM_LENGTH) return [hashRange(units, 0, units.length)];
  const grams: number[] = [];
  for (let start = 0; start + GRAM_LENGTH <= units.length; start += 1)
    grams.push(hashRange(units, start, start + GRAM_LENGTH));
  return grams;
}

function hashRange(units: readonly number[], start: number, end: number): number {
  let sum = HASH_START;
  for (let index = start; index < end; index += 1) sum = hashUnit(sum, units[index] ?? 0);
  return sum >>> 0;
}
