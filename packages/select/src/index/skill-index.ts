import { CLAUSE_KINDS } from "../text/split-clauses.ts";
import { charGrams, termOf } from "../text/term-table.ts";
import { RARE_SHARE, USUAL_SHARES } from "../text/usual-shares.ts";

/** No entry of one skill depends on another skill, so entries stay valid when the library changes. */
export interface StoredIndex {
  /** The key of each skill; a skill's number is its position here. */
  readonly keys: readonly string[];
  /** By skill: its declared patterns. */
  readonly patterns: readonly (readonly string[])[];
  readonly terms: readonly string[];
  /** By term: the skills that have it, ascending, and its weight in each, packed by `quantise`. */
  readonly postingStarts: Uint32Array;
  readonly postingSkills: Uint32Array;
  readonly postingWeights: Uint8Array;
  /** By skill: its clauses, each a number for kind and length and then its words as `TermTable` numbers. */
  readonly clauseStarts: Uint32Array;
  readonly clauseTerms: Uint32Array;
  /** By skill: its number of different terms. */
  readonly termCounts: Uint32Array;
}

export interface SkillIndex extends StoredIndex {
  readonly size: number;
  readonly numberOf: (term: string) => number;
  /** By term: its inverse document frequency among all skills. */
  readonly rarity: Float32Array;
  readonly grams: () => GramIndex;
  /** Scratch memory for one message, cleared after each: one by term, two by skill. */
  readonly slots: Uint8Array;
  readonly scores: Float32Array;
  readonly shares: Float32Array;
  /** By skill: 0 if it is not selected from; absent if all are. */
  readonly alive?: Uint8Array | undefined;
}

export function createIndex(stored: StoredIndex): SkillIndex {
  const size = stored.keys.length;
  const numbers = new Map(stored.terms.map((term, number) => [term, number]));
  const rarity = Float32Array.from(stored.terms, (_, term) => rarityOf(postingCount(stored, term), size));
  // Only common terms have a usual share; looking it up for every term of a large library would be slow.
  for (const [term, share] of USUAL_SHARES) {
    const number = numbers.get(term);
    if (number !== undefined) rarity[number] = rarityOf(postingCount(stored, number), size, share);
  }
  let grams: GramIndex | undefined;
  return {
    ...stored,
    size,
    numberOf: (term) => numbers.get(term) ?? -1,
    rarity,
    grams: () => {
      grams ??= indexGrams(stored);
      return grams;
    },
    slots: new Uint8Array(stored.terms.length),
    scores: new Float32Array(size),
    shares: new Float32Array(size),
  };
}

/** The same index for some of its skills: nothing is rebuilt, and the rarity of terms stays the same. */
export function narrowIndex(index: SkillIndex, isAsked: (key: string) => boolean): SkillIndex {
  const alive = Uint8Array.from(index.keys, (key, skill) =>
    index.alive?.[skill] !== 0 && isAsked(key) ? 1 : 0,
  );
  return { ...index, alive: alive.includes(0) ? alive : undefined };
}

/** The number of imaginary skills, with words as common as in language, that are added to the real ones. */
const IMAGINED_SKILLS = 300;

/** The inverse document frequency of BM25; only a large library outweighs the usual share of a word. */
export function rarityOf(count: number, size: number, usualShare: number = RARE_SHARE): number {
  const having = count + IMAGINED_SKILLS * usualShare;
  const all = size + IMAGINED_SKILLS;
  return Math.log(1 + Math.max(0, all - having + 0.5) / (having + 0.5));
}

function postingCount({ postingStarts }: StoredIndex, term: number): number {
  return (postingStarts[term + 1] ?? 0) - (postingStarts[term] ?? 0);
}

export interface SearchTerm {
  /** The term's number in the index; -1 if no skill has the term. */
  readonly number: number;
  readonly rarity: number;
  readonly postings: number;
}

export function findTerm(index: SkillIndex, term: string): SearchTerm {
  const number = index.numberOf(term);
  const postings = number < 0 ? 0 : postingCount(index, number);
  return { number, postings, rarity: rarityOf(postings, index.size, USUAL_SHARES.get(term)) };
}

/** The packed weight of a term in a skill; -1 if the skill lacks it. */
export function packedWeight(index: StoredIndex, term: number, skill: number): number {
  const { postingStarts, postingSkills, postingWeights } = index;
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

export const NAME_KIND: number = CLAUSE_KINDS.indexOf("name");

/** Kinds below it form the header; the others are in it already, or not what the skill is about. */
export const PHRASE_KIND: number = CLAUSE_KINDS.indexOf("phrase");

/** Messages of users: they help to find a skill without making its header longer. */
export const SAMPLE_KIND: number = CLAUSE_KINDS.indexOf("sample");

/** A clause's first number holds its length from this bit on, and its kind in the bits below. */
export const CLAUSE_LENGTH_SHIFT = 3;
const KIND_MASK = (1 << CLAUSE_LENGTH_SHIFT) - 1;

/** Calls `use` for each clause of a skill, with its kind and the range of its terms in `clauseTerms`. */
export function eachClause(
  { clauseStarts, clauseTerms }: StoredIndex,
  skill: number,
  use: (kind: number, start: number, end: number) => void,
): void {
  const last = clauseStarts[skill + 1] ?? 0;
  for (let index = clauseStarts[skill] ?? 0; index < last; ) {
    const head = clauseTerms[index] as number;
    // A forged index may claim any length, but a clause ends with its skill.
    const end = Math.min(last, index + 1 + (head >>> CLAUSE_LENGTH_SHIFT));
    use(head & KIND_MASK, index + 1, end);
    index = end;
  }
}

export interface GramIndex {
  /** Gram numbers by hash; a gram that no header has is missing. */
  readonly numbers: ReadonlyMap<number, number>;
  /** By term: the numbers of its grams. */
  readonly starts: Uint32Array;
  readonly grams: Uint32Array;
  readonly rarityOf: (gram: number) => number;
  /** Scratch memory for one message, by gram; cleared after each. */
  readonly slots: Uint8Array;
}

/** By term: the number of headers (name, description, triggers) that contain it. */
function countHeaders(index: StoredIndex): Uint32Array {
  const counts = new Uint32Array(index.terms.length);
  const last = new Int32Array(index.terms.length).fill(-1);
  for (let skill = 0; skill < index.keys.length; skill += 1)
    eachClause(index, skill, (kind, start, end) => {
      for (let at = start; at < end && kind < PHRASE_KIND; at += 1) {
        const term = termOf(index.clauseTerms[at] as number);
        if (last[term] !== skill) counts[term] = (counts[term] as number) + 1;
        last[term] = skill;
      }
    });
  return counts;
}

function indexGrams(index: StoredIndex): GramIndex {
  const { terms, keys } = index;
  const headerCounts = countHeaders(index);
  const numbers = new Map<number, number>();
  const starts = new Uint32Array(terms.length + 1);
  const grams: number[] = [];
  // A gram is counted once per header and term that has it: an upper bound, which is good enough.
  const counts: number[] = [];
  terms.forEach((term, at) => {
    for (const hash of headerCounts[at] === 0 ? [] : charGrams(term)) {
      const number = numbers.get(hash) ?? numbers.size;
      if (number === numbers.size) numbers.set(hash, number);
      counts[number] = (counts[number] ?? 0) + (headerCounts[at] ?? 0);
      grams.push(number);
    }
    starts[at + 1] = grams.length;
  });
  return {
    numbers,
    starts,
    grams: Uint32Array.from(grams),
    rarityOf: (gram) => rarityOf(Math.min(keys.length, counts[gram] ?? 0), keys.length),
    slots: new Uint8Array(numbers.size),
  };
}
