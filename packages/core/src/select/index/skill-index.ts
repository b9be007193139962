import type { Segment } from "./segment.ts";
import { findTerm, termText } from "./segment-terms.ts";

/** The segments of a library, with what depends on all of them. */
export interface SkillIndex {
  readonly parts: readonly IndexPart[];
  /** How many skills there are. */
  readonly size: number;
}

/** A segment in its place among the others. */
export interface IndexPart {
  readonly segment: Segment;
  /** By term: how rare it is among all skills. */
  readonly rarity: Float32Array;
  /** By hash of a 4-gram: how rare it is. */
  readonly gramRarity: (gram: number) => number;
  /** Working memory of one message, by term; cleared after each. */
  readonly slots: Uint8Array;
  readonly gramMarks: Int32Array;
  readonly scores: Float32Array;
  readonly shares: Float32Array;
  /** By skill: false for one that is no longer there. */
  readonly isAlive: (skill: number) => boolean;
}

/** Puts segments together; `isAlive` says which of their skills are still in the library. */
export function joinSegments(
  segments: readonly Segment[],
  isAlive: (key: string) => boolean = () => true,
): SkillIndex {
  const size = segments.reduce((sum, { keys }) => sum + keys.length, 0);
  const parts = segments.map((segment): IndexPart => {
    const counts = countEverywhere(segment, segments);
    const dead = new Set<number>();
    segment.keys.forEach((key, skill) => {
      if (!isAlive(key)) dead.add(skill);
    });
    return {
      segment,
      rarity: Float32Array.from(counts, (count) => rarityOf(count, size)),
      gramRarity: rarityOfGrams(segment, counts, size),
      slots: new Uint8Array(counts.length),
      gramMarks: new Int32Array(counts.length),
      scores: new Float32Array(segment.keys.length),
      shares: new Float32Array(segment.keys.length),
      isAlive: (skill) => !dead.has(skill),
    };
  });
  return { parts, size };
}

/** The inverse document frequency, as BM25 has it. */
export function rarityOf(count: number, size: number): number {
  return Math.log(1 + Math.max(0, size - count + 0.5) / (count + 0.5));
}

/** A header says what a skill is about; eight bodies that have a word count as much as one header. */
const BODY_SHARE = 0.12;

/** In how many skills of a segment a term stands, bodies counting less. */
export function mentionsOf(segment: Segment, term: number): number {
  const { headerCounts, postingStarts } = segment;
  const headers = headerCounts[term] ?? 0;
  const skills = (postingStarts[term + 1] ?? 0) - (postingStarts[term] ?? 0);
  return headers + BODY_SHARE * (skills - headers);
}

function countEverywhere(segment: Segment, segments: readonly Segment[]): Float32Array {
  const others = segments.filter((other) => other !== segment);
  return Float32Array.from(segment.headerCounts, (_, term) => {
    let sum = mentionsOf(segment, term);
    if (others.length === 0) return sum;
    const text = termText(segment, term);
    for (const other of others) {
      const number = findTerm(other, text);
      if (number >= 0) sum += mentionsOf(other, number);
    }
    return sum;
  });
}

/** A gram is counted once for every header and term that has it: an upper bound, near enough, and no table of its own. */
function rarityOfGrams(segment: Segment, counts: Float32Array, size: number): (gram: number) => number {
  const { grams, gramStarts } = segment;
  let found: Map<number, number> | undefined;
  const count = (): Map<number, number> => {
    const sums = new Map<number, number>();
    for (let term = 0; term < counts.length; term += 1) {
      for (let index = gramStarts[term] ?? 0; index < (gramStarts[term + 1] ?? 0); index += 1) {
        const gram = grams[index] ?? 0;
        sums.set(gram, (sums.get(gram) ?? 0) + (counts[term] ?? 0));
      }
    }
    return sums;
  };
  return (gram) => {
    found ??= count();
    return rarityOf(Math.min(size, found.get(gram) ?? 0), size);
  };
}
