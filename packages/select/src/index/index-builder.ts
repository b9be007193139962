import { CLAUSE_KINDS, type FieldName, type SkillDocument } from "../text/split-clauses.ts";
import { TermTable, termOf } from "../text/term-table.ts";
import { CLAUSE_LENGTH_SHIFT, eachClause, type StoredIndex } from "./skill-index.ts";

/** Bound on the terms that are kept as clauses of one skill; the fields below count all terms. */
const MAX_CLAUSE_TERMS = 1_000;

export class IndexBuilder {
  readonly #table = new TermTable();
  readonly #keys: string[] = [];
  readonly #patterns: (readonly string[])[] = [];
  // By skill: its clauses, and its number of terms. By added skill: its terms and their weights.
  readonly #clauses: Uint32Array[] = [];
  readonly #termCounts: number[] = [];
  readonly #added: { readonly skill: number; readonly terms: Uint32Array; readonly weights: Uint8Array }[] =
    [];
  #eachKept: ((use: UsePosting) => Generator<undefined, void>) | undefined;
  // By term: its weight in the current skill, and the last skill that had the term.
  readonly #sums: number[] = [];
  readonly #seen: number[] = [];
  #found: number[] = [];

  /** Takes over the skills of an old index that still exist; called before any skill is added. */
  *keep(old: StoredIndex, isAlive: (key: string) => boolean): Generator<undefined, void> {
    const places = old.keys.map((key) => (isAlive(key) ? this.#keys.push(key) - 1 : -1));
    // Terms that only removed skills had are dropped.
    const numbers: number[] = [];
    const renumber = (term: number): number => {
      numbers[term] ??= this.#table.intern(old.terms[term] ?? "");
      return numbers[term];
    };
    const eachPosting = function* (use: UsePosting): Generator<undefined, void> {
      for (let term = 0; term < old.terms.length; term += 1) {
        yield;
        const end = old.postingStarts[term + 1] ?? 0;
        for (let index = old.postingStarts[term] ?? 0; index < end; index += 1) {
          const skill = places[old.postingSkills[index] as number] ?? -1;
          if (skill >= 0) use(renumber(term), skill, old.postingWeights[index] as number);
        }
      }
    };
    // A first pass, to number the terms that are left.
    yield* eachPosting((term) => term);
    this.#eachKept = eachPosting;
    for (let skill = 0; skill < places.length; skill += 1) {
      yield;
      if ((places[skill] ?? -1) < 0) continue;
      this.#patterns.push(old.patterns[skill] ?? []);
      this.#keepClauses(old, skill, renumber);
      this.#termCounts.push(old.termCounts[skill] ?? 0);
    }
  }

  #keepClauses(old: StoredIndex, skill: number, renumber: (term: number) => number): void {
    const first = old.clauseStarts[skill] ?? 0;
    const clauses = old.clauseTerms.slice(first, old.clauseStarts[skill + 1]);
    eachClause(old, skill, (_, start, end) => {
      for (let index = start; index < end; index += 1) {
        const word = old.clauseTerms[index] as number;
        const term = termOf(word);
        clauses[index - first] = word - term + renumber(term);
      }
    });
    this.#clauses.push(clauses);
  }

  add(document: SkillDocument): void {
    const skill = this.#keys.push(document.key) - 1;
    this.#patterns.push(document.patterns);
    this.#found = [];
    this.#addClauses(document);
    for (const field of ["heading", "body", "code"] as const)
      this.#countAll(field, this.#table.scan(document.texts[field]));
    this.#termCounts.push(this.#found.length);
    for (const term of document.evidence) this.#count(this.#table.intern(term), 1);
    const terms = Uint32Array.from(this.#found);
    const weights = new Uint8Array(terms.length);
    for (let at = 0; at < terms.length; at += 1)
      weights[at] = quantise(this.#sums[terms[at] as number] as number);
    this.#added.push({ skill, terms, weights });
  }

  #addClauses({ clauses }: SkillDocument): void {
    const fields = new Map<FieldName, number[]>();
    const kept: number[] = [];
    for (const { kind, text } of clauses) {
      const words = this.#table.scan(text);
      if (words.length > 0 && kept.length + words.length < MAX_CLAUSE_TERMS) {
        kept.push(CLAUSE_KINDS.indexOf(kind) | (words.length << CLAUSE_LENGTH_SHIFT));
        for (const word of words) kept.push(word);
      }
      // A phrase is already part of its sentence, and a negative clause says what the skill is not about.
      if (kind === "phrase" || kind === "negative") continue;
      const field = fields.get(kind);
      if (field === undefined) fields.set(kind, words);
      else for (const word of words) field.push(word);
    }
    this.#clauses.push(Uint32Array.from(kept));
    for (const [field, words] of fields) this.#countAll(field, words);
  }

  #countAll(field: FieldName, words: readonly number[]): void {
    const { weight, lengthShare, usualLength } = FIELD_WEIGHTS[field];
    const each = weight / (1 - lengthShare + (lengthShare * words.length) / usualLength);
    for (const word of words) this.#count(termOf(word), each);
  }

  #count(term: number, weight: number): void {
    const skill = this.#keys.length - 1;
    if (this.#seen[term] === skill) {
      this.#sums[term] = (this.#sums[term] as number) + weight;
      return;
    }
    this.#seen[term] = skill;
    this.#sums[term] = weight;
    this.#found.push(term);
  }

  *build(): Generator<undefined, StoredIndex> {
    const { terms } = this.#table;
    const clauseStarts = new Uint32Array(this.#keys.length + 1);
    this.#clauses.forEach(({ length }, skill) => {
      clauseStarts[skill + 1] = (clauseStarts[skill] as number) + length;
    });
    const clauseTerms = new Uint32Array(clauseStarts[this.#keys.length] as number);
    for (const [skill, clauses] of this.#clauses.entries()) clauseTerms.set(clauses, clauseStarts[skill]);
    return {
      keys: this.#keys,
      patterns: this.#patterns,
      terms,
      ...(yield* this.#invert(terms.length)),
      clauseStarts,
      clauseTerms,
      termCounts: Uint32Array.from(this.#termCounts),
    };
  }

  *#eachPosting(use: UsePosting): Generator<undefined, void> {
    if (this.#eachKept !== undefined) yield* this.#eachKept(use);
    for (const { skill, terms, weights } of this.#added) {
      for (let at = 0; at < terms.length; at += 1) use(terms[at] as number, skill, weights[at] as number);
      yield;
    }
  }

  /** Turns terms by skill into skills by term: a counting sort, which keeps the skills ascending. */
  *#invert(
    termCount: number,
  ): Generator<undefined, Pick<StoredIndex, "postingStarts" | "postingSkills" | "postingWeights">> {
    const postingStarts = new Uint32Array(termCount + 1);
    yield* this.#eachPosting((term) => {
      postingStarts[term + 1] = (postingStarts[term + 1] as number) + 1;
    });
    for (let term = 0; term < termCount; term += 1)
      postingStarts[term + 1] = (postingStarts[term + 1] as number) + (postingStarts[term] as number);
    const next = postingStarts.slice();
    const postingSkills = new Uint32Array(postingStarts[termCount] as number);
    const postingWeights = new Uint8Array(postingSkills.length);
    yield* this.#eachPosting((term, skill, weight) => {
      const place = next[term] as number;
      next[term] = place + 1;
      postingSkills[place] = skill;
      postingWeights[place] = weight;
    });
    return { postingStarts, postingSkills, postingWeights };
  }
}

type UsePosting = (term: number, skill: number, weight: number) => void;

/**
 * The fields of BM25F: weight, how strongly a long field is penalised, and the usual length.
 *
 * Usual lengths are constants, not averages of the library, so that the index of one skill never depends on
 * another.
 */
const FIELD_WEIGHTS: Readonly<
  Record<FieldName, { readonly weight: number; readonly lengthShare: number; readonly usualLength: number }>
> = {
  name: { weight: 13, lengthShare: 0.3, usualLength: 3 },
  description: { weight: 7, lengthShare: 0.5, usualLength: 45 },
  trigger: { weight: 2.4, lengthShare: 0.6, usualLength: 20 },
  sample: { weight: 3, lengthShare: 0.6, usualLength: 120 },
  heading: { weight: 1.5, lengthShare: 0.6, usualLength: 45 },
  body: { weight: 1.5, lengthShare: 0.7, usualLength: 650 },
  code: { weight: 0.8, lengthShare: 0.7, usualLength: 250 },
};

const SMALLEST = 0.01;
const STEPS_PER_OCTAVE = 20;

/** Packs a weight above 0 into a byte, in steps of 3.5 %. */
export function quantise(weight: number): number {
  return Math.min(255, Math.max(0, Math.round(Math.log2(weight / SMALLEST) * STEPS_PER_OCTAVE)));
}

export const WEIGHTS: Float32Array = Float32Array.from(
  { length: 256 },
  (_, step) => SMALLEST * 2 ** (step / STEPS_PER_OCTAVE),
);
