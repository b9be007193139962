import { charGrams } from "../text/char-grams.ts";
import { hashText } from "../text/hash-text.ts";

/** A segment numbers its skills in 16 bits, which makes its postings three bytes each. */
export const MAX_SEGMENT_SKILLS = 65_536;

/** The kinds of clauses as a segment's numbers have them. */
export const CLAUSE_KINDS = ["name", "description", "trigger", "phrase", "negative"] as const;

/** Where the length of a clause begins in its first number; the kind stands below. */
export const CLAUSE_LENGTH_SHIFT = 3;

/**
 * A part of the index: up to 65,536 skills, as flat arrays of numbers that are written and read as they are.
 *
 * Nothing in it depends on what other skills there are, so that segments can be kept, joined and thinned out.
 */
export interface Segment {
  /** Each skill's key, in order. */
  readonly keys: readonly string[];
  readonly patterns: readonly SegmentPattern[];

  /** The terms' UTF-16 units, one after the other, and an open-addressed table over them. */
  readonly termUnits: Uint16Array;
  readonly termStarts: Uint32Array;
  readonly termSlots: Int32Array;
  /** In how many headers (name, description, triggers) each term stands. */
  readonly headerCounts: Uint32Array;

  /** By term: which skills have it, ascending, and how much of it they have, as `quantise` packs it. */
  readonly postingStarts: Uint32Array;
  readonly postingSkills: Uint16Array;
  readonly postingWeights: Uint8Array;

  /** By skill: its clauses, each a number of kind and length and then its terms. */
  readonly clauseStarts: Uint32Array;
  readonly clauseTerms: Uint32Array;

  /** By term of a header: the hashes of its character 4-grams. */
  readonly gramStarts: Uint32Array;
  readonly grams: Uint32Array;
}

/** A pattern that the author of a skill declared. */
export interface SegmentPattern {
  readonly skill: number;
  readonly source: string;
}

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

/** A clause as it stands in a segment: its first number, and where its terms begin and end. */
interface PlacedClause {
  readonly head: number;
  readonly kind: number;
  readonly start: number;
  readonly end: number;
}

/** Kinds below it make up the header; from it on they stand in it already or are no topic. */
export const PHRASE_KIND: number = CLAUSE_KINDS.indexOf("phrase");

const KIND_MASK = (1 << CLAUSE_LENGTH_SHIFT) - 1;

/** The clauses of a skill, in order. */
export function* readClauses({ clauseStarts, clauseTerms }: Segment, skill: number): Generator<PlacedClause> {
  const last = clauseStarts[skill + 1] ?? 0;
  for (let index = clauseStarts[skill] ?? 0; index < last; ) {
    const head = clauseTerms[index] ?? 0;
    // However long a forged index says that it is, a clause ends with its skill.
    const end = Math.min(last, index + 1 + (head >>> CLAUSE_LENGTH_SHIFT));
    yield { head, kind: head & KIND_MASK, start: index + 1, end };
    index = end;
  }
}

const CHUNK = 1 << 20;

/** A long list of numbers of four bytes, or of one, that grows in chunks: no copy, and none of its room unused. */
export class NumberList {
  readonly #chunks: (Uint32Array | Uint8Array)[] = [];
  readonly #kind: "words" | "bytes";
  length = 0;

  constructor(kind: "words" | "bytes" = "words") {
    this.#kind = kind;
  }

  push(value: number): void {
    const place = this.length % CHUNK;
    if (place === 0)
      this.#chunks.push(this.#kind === "words" ? new Uint32Array(CHUNK) : new Uint8Array(CHUNK));
    const chunk = this.#chunks[this.#chunks.length - 1];
    if (chunk !== undefined) chunk[place] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK] ?? 0;
  }

  toUint32Array(): Uint32Array {
    const whole = new Uint32Array(this.length);
    this.#chunks.forEach((chunk, index) => {
      whole.set(chunk.subarray(0, Math.min(CHUNK, this.length - index * CHUNK)), index * CHUNK);
    });
    return whole;
  }
}
