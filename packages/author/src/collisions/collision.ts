/** Skills that take each other's messages, or that are copies. */
export interface Collision {
  readonly kind: "copy" | "overlap";
  /** Qualified names in byte order: all copies of one text, or two that overlap. */
  readonly skills: readonly string[];
  /** The more, the worse; copies come before everything else. */
  readonly harm: number;
  /** Who loses phrases to whom, the worse first; none for copies, which cannot be told apart. */
  readonly directions: readonly CollisionDirection[];
}

/** What one skill loses to another. */
export interface CollisionDirection {
  /** Whose own phrases were tried. */
  readonly from: string;
  /** Who came first, or close. */
  readonly to: string;
  readonly queries: number;
  readonly stolen: number;
  /** Its own came first, but so narrowly that a few other words turn it over. */
  readonly close: number;
  /** Of the queries, those that were stolen or close. */
  readonly share: number;
  /** The worst few. */
  readonly phrases: readonly ContestedPhrase[];
  /** Words of these phrases that both headers have, the most frequent first. */
  readonly sharedWords: readonly string[];
}

/** A phrase of a skill for which another is as good or better. */
export interface ContestedPhrase {
  readonly text: string;
  readonly source: PhraseSource;
  readonly outcome: "stolen" | "close";
  readonly score: number;
  readonly rivalScore: number;
}

/** Where a phrase of a skill stands. */
export type PhraseSource = "trigger-set" | "phrase" | "keyword" | "when-to-use" | "description";
