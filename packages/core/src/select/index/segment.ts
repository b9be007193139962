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
