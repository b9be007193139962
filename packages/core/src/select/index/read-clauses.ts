import { CLAUSE_KINDS, CLAUSE_LENGTH_SHIFT, type Segment } from "./segment.ts";

/** A clause as it stands in a segment: its first number, and where its terms begin and end. */
export interface PlacedClause {
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
