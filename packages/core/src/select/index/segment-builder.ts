import type { FieldName, SkillDocument } from "../document/split-clauses.ts";
import { TermTable } from "../text/term-table.ts";
import {
  CLAUSE_KINDS,
  CLAUSE_LENGTH_SHIFT,
  MAX_SEGMENT_SKILLS,
  NumberList,
  packGrams,
  packTerms,
  type Segment,
  type SegmentPattern,
} from "./segment.ts";

/** No more terms of one skill's clauses are kept; the fields below count all of them. */
const MAX_CLAUSE_TERMS = 1_000;

/** What evidence weighs: it is asked for by its own mark alone, so that any number would do. */
const EVIDENCE_WEIGHT = 1;

export class SegmentBuilder {
  readonly #table = new TermTable();
  readonly #keys: string[] = [];
  readonly #patterns: SegmentPattern[] = [];
  readonly #terms = new NumberList();
  readonly #weights = new NumberList("bytes");
  readonly #starts: number[] = [0];
  readonly #clauses = new NumberList();
  readonly #clauseStarts: number[] = [0];
  readonly #headerCounts: number[] = [];
  // Per term of the document at hand: how much it weighs so far, and which document that was.
  #sums: Float64Array = new Float64Array(1 << 12);
  #seen: Int32Array = new Int32Array(1 << 12).fill(-1);
  #inHeader: Int32Array = new Int32Array(1 << 12).fill(-1);
  #found: number[] = [];

  get size(): number {
    return this.#keys.length;
  }

  get isFull(): boolean {
    return this.size >= MAX_SEGMENT_SKILLS;
  }

  add(document: SkillDocument): void {
    const number = this.#keys.length;
    this.#keys.push(document.key);
    for (const source of document.patterns) this.#patterns.push({ skill: number, source });
    this.#found = [];
    this.#addClauses(document);
    this.#addField("heading", document.headings);
    this.#addField("body", document.body);
    this.#addField("code", document.code);
    for (const term of document.evidence) this.#count(this.#table.intern(term), EVIDENCE_WEIGHT);
    for (const term of this.#found) {
      this.#terms.push(term);
      this.#weights.push(quantise(this.#sums[term] ?? 0));
    }
    this.#starts.push(this.#terms.length);
    this.#clauseStarts.push(this.#clauses.length);
  }

  #addClauses({ clauses }: SkillDocument): void {
    const fields = new Map<FieldName, number[]>();
    const limit = this.#clauses.length + MAX_CLAUSE_TERMS;
    for (const { kind, text } of clauses) {
      const terms = this.#table.scan(text);
      if (terms.length > 0 && this.#clauses.length + terms.length < limit) {
        this.#clauses.push(CLAUSE_KINDS.indexOf(kind) | (terms.length << CLAUSE_LENGTH_SHIFT));
        for (const term of terms) this.#clauses.push(term);
      }
      // A phrase stands in its sentence already, and what a skill is not for is no topic of it.
      if (kind === "phrase" || kind === "negative") continue;
      const field = fields.get(kind);
      if (field === undefined) fields.set(kind, Array.from(terms));
      else for (const term of terms) field.push(term);
    }
    for (const [field, terms] of fields) this.#countAll(field, Int32Array.from(terms), "header");
  }

  #addField(field: FieldName, text: string): void {
    if (text === "") return;
    this.#countAll(field, this.#table.scan(text), "body");
  }

  #countAll(field: FieldName, terms: Int32Array, part: "header" | "body"): void {
    const { weight, lengthShare, usualLength } = FIELD_WEIGHTS[field];
    const each = weight / (1 - lengthShare + (lengthShare * terms.length) / usualLength);
    const skill = this.size - 1;
    for (let index = 0; index < terms.length; index += 1) {
      const term = terms[index] as number;
      this.#count(term, each);
      if (part === "header" && this.#inHeader[term] !== skill) {
        this.#inHeader[term] = skill;
        this.#headerCounts[term] = (this.#headerCounts[term] ?? 0) + 1;
      }
    }
  }

  #count(term: number, weight: number): void {
    if (term >= this.#sums.length) this.#grow(term);
    const skill = this.#keys.length - 1;
    if (this.#seen[term] === skill) {
      this.#sums[term] = (this.#sums[term] as number) + weight;
      return;
    }
    this.#seen[term] = skill;
    this.#sums[term] = weight;
    this.#found.push(term);
  }

  #grow(term: number): void {
    const length = 2 ** Math.ceil(Math.log2(term + 1)) * 2;
    const sums = new Float64Array(length);
    sums.set(this.#sums);
    this.#sums = sums;
    this.#seen = widen(this.#seen, length);
    this.#inHeader = widen(this.#inHeader, length);
  }

  build(): Segment {
    const { terms } = this.#table;
    const headerCounts = Uint32Array.from(terms, (_, term) => this.#headerCounts[term] ?? 0);
    return {
      keys: this.#keys,
      patterns: this.#patterns,
      ...packTerms(terms),
      headerCounts,
      ...this.#invert(terms.length),
      clauseStarts: Uint32Array.from(this.#clauseStarts),
      clauseTerms: this.#clauses.toUint32Array(),
      ...packGrams(terms, headerCounts),
    };
  }

  /** From terms by skill to skills by term: a counting sort, which keeps the skills ascending. */
  #invert(termCount: number): Pick<Segment, "postingStarts" | "postingSkills" | "postingWeights"> {
    const postingStarts = new Uint32Array(termCount + 1);
    const count = this.#terms.length;
    for (let index = 0; index < count; index += 1) {
      const term = this.#terms.at(index) + 1;
      postingStarts[term] = (postingStarts[term] ?? 0) + 1;
    }
    for (let term = 0; term < termCount; term += 1)
      postingStarts[term + 1] = (postingStarts[term + 1] ?? 0) + (postingStarts[term] ?? 0);
    const next = postingStarts.slice();
    const postingSkills = new Uint16Array(count);
    const postingWeights = new Uint8Array(count);
    for (let skill = 0; skill < this.#keys.length; skill += 1) {
      const end = this.#starts[skill + 1] ?? 0;
      for (let index = this.#starts[skill] ?? 0; index < end; index += 1) {
        const term = this.#terms.at(index);
        const place = next[term] ?? 0;
        next[term] = place + 1;
        postingSkills[place] = skill;
        postingWeights[place] = this.#weights.at(index);
      }
    }
    return { postingStarts, postingSkills, postingWeights };
  }
}

function widen(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(length).fill(-1);
  wider.set(numbers);
  return wider;
}

/** How a field counts: its weight, how much its length is held against it, and the length that is usual. */
interface FieldWeight {
  readonly weight: number;
  readonly lengthShare: number;
  readonly usualLength: number;
}

/**
 * The fields of BM25F. The usual lengths are constants, not averages of the library at hand, so that what is indexed of
 * one skill never depends on another and a segment stays true when its neighbours change.
 */
const FIELD_WEIGHTS: Readonly<Record<FieldName, FieldWeight>> = {
  name: { weight: 13, lengthShare: 0.3, usualLength: 3 },
  description: { weight: 7, lengthShare: 0.5, usualLength: 45 },
  trigger: { weight: 2.4, lengthShare: 0.9, usualLength: 20 },
  heading: { weight: 0.8, lengthShare: 0.6, usualLength: 45 },
  body: { weight: 0.64, lengthShare: 0.4, usualLength: 650 },
  code: { weight: 0.08, lengthShare: 0.7, usualLength: 250 },
};

const SMALLEST = 0.01;
const STEPS_PER_OCTAVE = 20;

/** Packs a weight above 0 into a byte, in steps of three and a half per cent. */
export function quantise(weight: number): number {
  FLOAT[0] = weight;
  return STEPS[(BITS[0] as number) >>> 15] as number;
}

/** What each packed weight stands for. */
export const WEIGHTS: Float32Array = Float32Array.from(
  { length: 256 },
  (_, step) => SMALLEST * 2 ** (step / STEPS_PER_OCTAVE),
);

// By the upper bits of a float, its sign, exponent and eight digits of its fraction: a logarithm for each of the hundred
// million postings of a large library would take a tenth of the time that building its index takes.
const FLOAT: Float32Array = new Float32Array(1);
const BITS: Uint32Array = new Uint32Array(FLOAT.buffer);
const STEPS: Uint8Array = Uint8Array.from({ length: 1 << 16 }, (_, upper) => {
  BITS[0] = (upper << 15) | (1 << 14);
  const step = Math.round(Math.log2((FLOAT[0] as number) / SMALLEST) * STEPS_PER_OCTAVE);
  return Math.min(255, Math.max(0, step));
});
