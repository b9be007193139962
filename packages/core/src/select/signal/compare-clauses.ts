import { CLAUSE_KINDS, CLAUSE_LENGTH_SHIFT } from "../index/segment.ts";
import type { IndexPart } from "../index/skill-index.ts";
import type { SearchTerm } from "./find-search-term.ts";
import { GramTable } from "./gram-table.ts";
import type { SignalRow } from "./measure-signals.ts";
import { MAX_TERMS, type Message } from "./message.ts";

/** What the clauses of a skill's header have in common with a message. */
type ClauseComparison = Pick<
  SignalRow,
  | "bigrams"
  | "sentence"
  | "sentenceCoverage"
  | "nameExact"
  | "phrase"
  | "negative"
  | "negativeCoverage"
  | "headerLength"
>;

const NAME = CLAUSE_KINDS.indexOf("name");
const PHRASE = CLAUSE_KINDS.indexOf("phrase");
const NEGATIVE = CLAUSE_KINDS.indexOf("negative");
const KIND_MASK = (1 << CLAUSE_LENGTH_SHIFT) - 1;

/** Short sentences would be nearest to everything without it. */
const SENTENCE_NORM = 3;

/** A phrase of one common word is no evidence: a phrase counts by how much it says at all. */
const PHRASE_NORM = 8;

/** Compares one message with the headers of many skills of one part of the index; `release` it afterwards. */
export class ClauseComparer {
  readonly #part: IndexPart;
  readonly #rarity: Float64Array;
  readonly #total: number;
  readonly #norm: number;
  readonly #numbers: readonly number[];
  readonly #pairs: PairTable;
  readonly #grams: GramTable;
  readonly #lastClause: Int32Array;
  readonly #read: ReadClause = { squares: 0, sum: 0, common: 0, commonSum: 0, longest: 0 };
  #clause = 0;

  constructor(
    part: IndexPart,
    search: { readonly message: Message; readonly terms: readonly SearchTerm[]; readonly place: number },
  ) {
    const { message, terms, place } = search;
    this.#part = part;
    this.#rarity = Float64Array.from(terms, ({ rarity }) => rarity);
    this.#total = this.#rarity.reduce((sum, rarity) => sum + rarity, 0) || 1;
    this.#norm = Math.sqrt(this.#rarity.reduce((sum, rarity) => sum + rarity * rarity, 0)) || 1;
    this.#numbers = terms.map(({ numbers }) => numbers[place] ?? -1);
    this.#numbers.forEach((number, slot) => {
      if (number >= 0) part.slots[number] = slot + 1;
    });
    this.#pairs = new PairTable(message.sequence, this.#rarity);
    this.#grams = new GramTable(part, message.grams);
    this.#lastClause = new Int32Array(terms.length);
  }

  /** Leaves the part's working memory as it was. */
  release(): void {
    for (const number of this.#numbers) if (number >= 0) this.#part.slots[number] = 0;
    this.#grams.release();
  }

  compare(skill: number): ClauseComparison {
    const { clauseStarts, clauseTerms } = this.#part.segment;
    const found = {
      sentence: 0,
      sentenceCoverage: 0,
      nameExact: 0,
      phrase: 0,
      negative: 0,
      negativeCoverage: 0,
      bigrams: 0,
      headerLength: 0,
    };
    this.#pairs.clear();
    const end = clauseStarts[skill + 1] ?? 0;
    for (let index = clauseStarts[skill] ?? 0; index < end; ) {
      const first = clauseTerms[index] ?? 0;
      const kind = first & KIND_MASK;
      const length = first >>> CLAUSE_LENGTH_SHIFT;
      this.#readClause(index + 1, index + 1 + length, kind < PHRASE ? "count" : "compare");
      if (kind < PHRASE) found.headerLength += length;
      this.#judge(kind, found);
      index += 1 + length;
    }
    found.bigrams = this.#pairs.score(found.headerLength);
    return found;
  }

  /** BM25 over character 4-grams: apart, because it costs as much as all else and only the best need it. */
  compareCharacters(skill: number): number {
    const { clauseStarts, clauseTerms } = this.#part.segment;
    this.#grams.clear();
    const end = clauseStarts[skill + 1] as number;
    for (let index = clauseStarts[skill] as number; index < end; ) {
      const first = clauseTerms[index] as number;
      const next = index + 1 + (first >>> CLAUSE_LENGTH_SHIFT);
      if ((first & KIND_MASK) < PHRASE) this.#grams.addRange(index + 1, next);
      index = next;
    }
    return this.#grams.score();
  }

  #readClause(start: number, end: number, use: "count" | "compare"): void {
    const { clauseTerms } = this.#part.segment;
    const { slots, rarity } = this.#part;
    const lastClause = this.#lastClause;
    this.#clause += 1;
    let squares = 0;
    let sum = 0;
    let common = 0;
    let commonSum = 0;
    let longest = 0;
    let before = 0;
    let run = 0;
    for (let index = start; index < end; index += 1) {
      const term = clauseTerms[index] as number;
      const termRarity = rarity[term] as number;
      squares += termRarity * termRarity;
      sum += termRarity;
      const slot = slots[term] as number;
      if (slot === 0) {
        before = 0;
        continue;
      }
      const weight = this.#rarity[slot - 1] as number;
      if (lastClause[slot - 1] !== this.#clause) {
        lastClause[slot - 1] = this.#clause;
        common += weight * weight;
        commonSum += weight;
      }
      const isPair = before !== 0 && this.#pairs.has(before - 1, slot - 1, use);
      run = isPair ? run + weight : weight;
      if (run > longest) longest = run;
      before = slot;
    }
    const read = this.#read;
    read.squares = squares;
    read.sum = sum;
    read.common = common;
    read.commonSum = commonSum;
    read.longest = longest;
  }

  #judge(kind: number, found: Found): void {
    const { squares, sum, common, commonSum, longest } = this.#read;
    if (commonSum === 0) return;
    const cosine = common / (this.#norm * (Math.sqrt(squares) + SENTENCE_NORM));
    if (kind === NEGATIVE) {
      found.negative = Math.max(found.negative, cosine);
      found.negativeCoverage = Math.max(found.negativeCoverage, commonSum / this.#total);
      return;
    }
    if (kind === PHRASE) {
      const share = sum === 0 ? 0 : (longest / sum) * (longest / (longest + PHRASE_NORM));
      found.phrase = Math.max(found.phrase, share);
      return;
    }
    // Sums of the same numbers in another order differ in their last digits.
    if (kind === NAME && longest >= sum * 0.999) found.nameExact = 1;
    found.sentence = Math.max(found.sentence, cosine);
    found.sentenceCoverage = Math.max(found.sentenceCoverage, commonSum / this.#total);
  }
}

interface ReadClause {
  /** Of the clause's terms: the sum of their rarities and of the squares. */
  squares: number;
  sum: number;
  /** Of the terms that the message has as well, each once. */
  common: number;
  commonSum: number;
  /** Of the longest run that stands in the message as it does here. */
  longest: number;
}

interface Found {
  sentence: number;
  sentenceCoverage: number;
  nameExact: number;
  phrase: number;
  negative: number;
  negativeCoverage: number;
}

const SATURATION = 1.2;
const USUAL_HEADER_TERMS = 70;

/** Counts which neighbours of a message are neighbours in a header too, and scores them as BM25 does. */
class PairTable {
  // By first and second term: the pair's number and one, or 0.
  readonly #numbers: Uint16Array = new Uint16Array(MAX_TERMS * MAX_TERMS);
  readonly #rarity: number[] = [];
  readonly #counts: Float64Array;

  constructor(sequence: readonly number[], rarity: Float64Array) {
    for (let index = 1; index < sequence.length; index += 1) {
      const left = sequence[index - 1] ?? -1;
      const right = sequence[index] ?? -1;
      if (left < 0 || right < 0 || this.#numbers[left * MAX_TERMS + right] !== 0) continue;
      // There is no index of pairs to count them by: two rare words make a rare pair.
      this.#rarity.push(((rarity[left] ?? 0) + (rarity[right] ?? 0)) / 2);
      this.#numbers[left * MAX_TERMS + right] = this.#rarity.length;
    }
    this.#counts = new Float64Array(this.#rarity.length);
  }

  clear(): void {
    this.#counts.fill(0);
  }

  has(left: number, right: number, use: "count" | "compare"): boolean {
    const number = this.#numbers[left * MAX_TERMS + right] as number;
    if (number === 0) return false;
    if (use === "count") this.#counts[number - 1] = (this.#counts[number - 1] as number) + 1;
    return true;
  }

  score(headerTerms: number): number {
    const norm = SATURATION * (0.5 + (0.5 * headerTerms) / USUAL_HEADER_TERMS);
    let score = 0;
    for (let pair = 0; pair < this.#counts.length; pair += 1) {
      const count = this.#counts[pair] as number;
      if (count > 0) score += ((this.#rarity[pair] as number) * count) / (count + norm);
    }
    return score;
  }
}
