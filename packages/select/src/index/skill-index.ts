import { CLAUSE_KINDS } from "../text/split-clauses.ts";
import { charGrams, termOf } from "../text/term-table.ts";
import { RARE_SHARE, USUAL_SHARES } from "../text/usual-shares.ts";

/** Nothing said of one skill depends on the others: what is kept stays true when the library changes. */
export interface StoredIndex {
  /** Each skill's key; its place is the number of the skill. */
  readonly keys: readonly string[];
  /** By skill: the patterns that it declares. */
  readonly patterns: readonly (readonly string[])[];
  readonly terms: readonly string[];
  /** By term: which skills have it, ascending, and how much of it they have, as `quantise` packs it. */
  readonly postingStarts: Uint32Array;
  readonly postingSkills: Uint32Array;
  readonly postingWeights: Uint8Array;
  /** By skill: its clauses, each a number of kind and length and then its words, as `TermTable` numbers them. */
  readonly clauseStarts: Uint32Array;
  readonly clauseTerms: Uint32Array;
  /** By skill: how many different terms its texts have. */
  readonly termCounts: Uint32Array;
}

export interface SkillIndex extends StoredIndex {
  readonly size: number;
  readonly numberOf: (term: string) => number;
  /** By term: how rare it is among all skills. */
  readonly rarity: Float32Array;
  readonly grams: () => GramIndex;
  /** Working memory of one message, cleared after each: by term, and twice by skill. */
  readonly slots: Uint8Array;
  readonly scores: Float32Array;
  readonly shares: Float32Array;
  /** By skill: 0 for one that is not asked for; absent where all are. */
  readonly alive?: Uint8Array | undefined;
}

export function createIndex(stored: StoredIndex): SkillIndex {
  const size = stored.keys.length;
  const numbers = new Map(stored.terms.map((term, number) => [term, number]));
  const rarity = Float32Array.from(stored.terms, (_, term) => rarityOf(postingCount(stored, term), size));
  // From the few common terms: to look up what is usual for every term of a large library would take longest of all.
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

/** The same index for some of its skills: nothing is built again, and how rare words are stays as it is. */
export function narrowIndex(index: SkillIndex, isAsked: (key: string) => boolean): SkillIndex {
  const alive = Uint8Array.from(index.keys, (key, skill) =>
    index.alive?.[skill] !== 0 && isAsked(key) ? 1 : 0,
  );
  return { ...index, alive: alive.includes(0) ? alive : undefined };
}

/** So many imagined skills stand beside the real ones, with words as common as they are in language. */
const IMAGINED_SKILLS = 300;

/** The inverse document frequency, as BM25 has it; a library must be large before it says more than language does. */
export function rarityOf(count: number, size: number, usualShare: number = RARE_SHARE): number {
  const having = count + IMAGINED_SKILLS * usualShare;
  const all = size + IMAGINED_SKILLS;
  return Math.log(1 + Math.max(0, all - having + 0.5) / (having + 0.5));
}

function postingCount({ postingStarts }: StoredIndex, term: number): number {
  return (postingStarts[term + 1] ?? 0) - (postingStarts[term] ?? 0);
}

export interface SearchTerm {
  /** Its number in the index; -1 where no skill has it. */
  readonly number: number;
  readonly rarity: number;
  readonly postings: number;
}

export function findTerm(index: SkillIndex, term: string): SearchTerm {
  const number = index.numberOf(term);
  const postings = number < 0 ? 0 : postingCount(index, number);
  return { number, postings, rarity: rarityOf(postings, index.size, USUAL_SHARES.get(term)) };
}

/** The packed weight of a term in a skill; -1 where it has none. */
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

/** Kinds below it make up the header; from it on they stand in it already or are not what the skill is about. */
export const PHRASE_KIND: number = CLAUSE_KINDS.indexOf("phrase");

/** What a user would say: it finds a skill, and makes its header no longer. */
export const SAMPLE_KIND: number = CLAUSE_KINDS.indexOf("sample");

/** Where the length of a clause begins in its first number; the kind stands below. */
export const CLAUSE_LENGTH_SHIFT = 3;
const KIND_MASK = (1 << CLAUSE_LENGTH_SHIFT) - 1;

/** Goes through the clauses of a skill: their kinds, and where in `clauseTerms` their terms begin and end. */
export function eachClause(
  { clauseStarts, clauseTerms }: StoredIndex,
  skill: number,
  use: (kind: number, start: number, end: number) => void,
): void {
  const last = clauseStarts[skill + 1] ?? 0;
  for (let index = clauseStarts[skill] ?? 0; index < last; ) {
    const head = clauseTerms[index] as number;
    // However long a forged index says that it is, a clause ends with its skill.
    const end = Math.min(last, index + 1 + (head >>> CLAUSE_LENGTH_SHIFT));
    use(head & KIND_MASK, index + 1, end);
    index = end;
  }
}

export interface GramIndex {
  /** The number of a gram by its hash; absent where no header has it. */
  readonly numbers: ReadonlyMap<number, number>;
  /** By term: the numbers of its grams. */
  readonly starts: Uint32Array;
  readonly grams: Uint32Array;
  readonly rarityOf: (gram: number) => number;
  /** Working memory of one message, by gram; cleared after each. */
  readonly slots: Uint8Array;
}

/** By term: in how many headers (name, description, triggers) it stands. */
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
  // A gram is counted once for every header and term that has it: an upper bound, near enough.
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
