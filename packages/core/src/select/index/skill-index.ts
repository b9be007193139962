import { RARE_SHARE, USUAL_SHARES } from "../text/usual-shares.ts";
import { findTerm, PHRASE_KIND, readClauses, type Segment, termText } from "./segment.ts";

/** The segments of a library, with what depends on all of them. */
export interface SkillIndex {
  readonly parts: readonly IndexPart[];
  readonly size: number;
}

export interface IndexPart {
  readonly segment: Segment;
  readonly counts: TermCounts;
  /** By term: how rare it is among all skills. */
  readonly rarity: Float32Array;
  /** By hash of a 4-gram: how rare it is. */
  readonly gramRarity: (gram: number) => number;
  /** Working memory of one message, by term; cleared after each. */
  readonly slots: Uint8Array;
  readonly gramMarks: Int32Array;
  readonly scores: Float32Array;
  readonly shares: Float32Array;
  /** By skill: 0 for one that does not count, because it is no longer there or not asked for; absent where all do. */
  readonly alive: Uint8Array | undefined;
  /** The numbers of skills that are looked for beside the others; see `setApart`. */
  readonly apart?: Uint16Array;
}

/** Puts segments together; `isAlive` says which of their skills are still in the library. */
export function joinSegments(
  segments: readonly Segment[],
  isAlive: (key: string) => boolean = () => true,
): SkillIndex {
  const counted = segments.map((segment): Counted => {
    const alive = markAlive(segment, isAlive);
    return { segment, alive, counts: countLiving(segment, alive) };
  });
  const size = counted.reduce((sum, { segment, alive }) => sum + countAlive(segment, alive), 0);
  const parts = counted.map((one): IndexPart => {
    const { segment, counts, alive } = one;
    const mentions = countEverywhere(one, counted);
    return {
      segment,
      counts,
      rarity: findRarities(segment, mentions, size),
      gramRarity: rarityOfGrams(segment, mentions, size),
      slots: new Uint8Array(mentions.length),
      gramMarks: new Int32Array(mentions.length),
      scores: new Float32Array(segment.keys.length),
      shares: new Float32Array(segment.keys.length),
      alive,
    };
  });
  return { parts, size };
}

/** The same index for some of its skills: nothing is built again, and how rare words are stays as it is. */
export function narrowIndex(index: SkillIndex, isAsked: (key: string) => boolean): SkillIndex {
  const parts = index.parts.map((part): IndexPart => ({ ...part, alive: markAlive(part.segment, isAsked) }));
  return { ...index, parts };
}

function markAlive({ keys }: Segment, isAlive: (key: string) => boolean): Uint8Array | undefined {
  const alive = Uint8Array.from(keys, (key) => (isAlive(key) ? 1 : 0));
  return alive.includes(0) ? alive : undefined;
}

function countAlive({ keys }: Segment, alive: Uint8Array | undefined): number {
  return alive === undefined ? keys.length : alive.reduce((sum, one) => sum + one, 0);
}

/** So many imagined skills stand beside the real ones, with words as common as they are in language. */
const IMAGINED_SKILLS = 300;

/** The inverse document frequency, as BM25 has it; a library must be large before it says more than language does. */
export function rarityOf(count: number, size: number, usualShare: number = RARE_SHARE): number {
  const having = count + IMAGINED_SKILLS * usualShare;
  const all = size + IMAGINED_SKILLS;
  return Math.log(1 + Math.max(0, all - having + 0.5) / (having + 0.5));
}

// From the few common terms: looking up what every term of a large library usually is would take longer than all else.
function findRarities(segment: Segment, mentions: Float32Array, size: number): Float32Array {
  const rarity = Float32Array.from(mentions, (count) => rarityOf(count, size));
  for (const [term, share] of USUAL_SHARES) {
    const number = findTerm(segment, term);
    if (number >= 0) rarity[number] = rarityOf(mentions[number] ?? 0, size, share);
  }
  return rarity;
}

/** A header says what a skill is about; eight bodies that have a word count as much as one header. */
const BODY_SHARE = 0.12;

type Counted = Pick<IndexPart, "segment" | "counts" | "alive">;

/** In how many skills of a part a term stands, bodies counting less. */
export function mentionsOf({ counts }: Pick<IndexPart, "counts">, term: number): number {
  const headers = counts.headers[term] ?? 0;
  return headers + BODY_SHARE * ((counts.skills[term] ?? 0) - headers);
}

function countEverywhere(one: Counted, all: readonly Counted[]): Float32Array {
  const others = all.filter((other) => other !== one);
  return Float32Array.from(one.segment.headerCounts, (_, term) => {
    let sum = mentionsOf(one, term);
    if (others.length === 0) return sum;
    const text = termText(one.segment, term);
    for (const other of others) {
      const number = findTerm(other.segment, text);
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

/** The same index with some of its skills apart: they are looked for beside the others and take nobody's place. */
export function setApart(index: SkillIndex, isApart: (key: string) => boolean): SkillIndex {
  let hasApart = false;
  const parts = index.parts.map((part): IndexPart => {
    const apart: number[] = [];
    part.segment.keys.forEach((key, skill) => {
      if (part.alive?.[skill] !== 0 && isApart(key)) apart.push(skill);
    });
    if (apart.length === 0) return part;
    hasApart = true;
    return { ...part, apart: Uint16Array.from(apart) };
  });
  return hasApart ? { ...index, parts } : index;
}

/** By term of a segment: how many headers have it, and how many skills have it anywhere. */
interface TermCounts {
  readonly headers: Uint32Array;
  readonly skills: Uint32Array;
}

/** Counts the skills that are alive; whoever is gone says nothing about how rare a word is. */
function countLiving(segment: Segment, alive: Uint8Array | undefined): TermCounts {
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
