import {
  CLAUSE_KINDS,
  eachClause,
  type GramIndex,
  NAME_KIND,
  PHRASE_KIND,
  SAMPLE_KIND,
  type SkillIndex,
} from "../index/skill-index.ts";
import { MAX_TERMS, type Message } from "../text/message.ts";
import { INFLECTED_LIKENESS, likeness, termOf } from "../text/term-table.ts";
import { tellingOf } from "../text/usual-shares.ts";
import { type MessageTerm, saturatedWeight } from "./gather-candidates.ts";
import type { Signals } from "./measure-signals.ts";

const NEGATIVE = CLAUSE_KINDS.indexOf("negative");

/** A phrase of one common word is not evidence: a phrase counts by how much it says at all. */
const PHRASE_NORM = 8;

/** Compares one message with the headers of many skills; `release` it afterwards. */
export class ClauseComparer {
  readonly #index: SkillIndex;
  readonly #terms: readonly MessageTerm[];
  readonly #rarity: Float64Array;
  readonly #endings: readonly number[];
  readonly #telling: readonly number[];
  /** By term of the message: how like it is to the word of the skill, or of its limits, most like it; 0 for none. */
  readonly #likeness: Float64Array;
  readonly #denied: Float64Array;
  readonly #total: number;
  readonly #topicTotal: number;
  readonly #pairs: PairTable;
  readonly #grams: GramTable;
  readonly #lastClause: Int32Array;
  #clause = 0;

  constructor(
    index: SkillIndex,
    message: Message,
    parts: { readonly terms: readonly MessageTerm[]; readonly total: number },
  ) {
    const { terms, total } = parts;
    this.#index = index;
    this.#terms = terms;
    this.#rarity = Float64Array.from(terms, ({ rarity }) => rarity);
    this.#total = this.#rarity.reduce((sum, rarity) => sum + rarity, 0) || 1;
    this.#topicTotal = total;
    terms.forEach(({ number }, slot) => {
      if (number >= 0) index.slots[number] = slot + 1;
    });
    this.#pairs = new PairTable(message.sequence, this.#rarity);
    this.#grams = new GramTable(index.grams(), message.grams);
    this.#lastClause = new Int32Array(terms.length);
    this.#endings = message.endings;
    this.#telling = message.terms.map(tellingOf);
    this.#likeness = new Float64Array(terms.length);
    this.#denied = new Float64Array(terms.length);
  }

  /** Leaves the index's working memory as it was. */
  release(): void {
    for (const { number } of this.#terms) if (number >= 0) this.#index.slots[number] = 0;
    this.#grams.release();
  }

  compare(skill: number, signals: Signals): void {
    eachClause(this.#index, skill, (kind, start, end) => {
      if (kind < PHRASE_KIND) signals.headerLength += end - start;
      else if (kind === PHRASE_KIND) signals.quotedLength += end - start;
      this.#compareClause(kind, start, end, signals);
    });
    signals.bigrams = this.#pairs.takeScore(signals.headerLength);
    this.#takeLikeness(skill, signals);
  }

  /** Where the header has a word only in another form, it counts for less; of other texts the forms are not known. */
  #takeLikeness(skill: number, signals: Signals): void {
    let lost = 0;
    let all = 0;
    for (let slot = 0; slot < this.#rarity.length; slot += 1) {
      const rarity = this.#rarity[slot] as number;
      const most = this.#likeness[slot] as number;
      const denied = this.#denied[slot] as number;
      if (denied > 0) {
        this.#denied[slot] = 0;
        signals.negativeCoverage += (denied * rarity) / this.#total;
        signals.negativeOnly += (Math.max(0, denied - most) * rarity) / this.#total;
      }
      if (most === 0) continue;
      this.#likeness[slot] = 0;
      const { number, isTopic } = this.#terms[slot] as MessageTerm;
      if (!isTopic) continue;
      all += rarity;
      signals.telling += this.#telling[slot] ?? 0;
      if (most === 1) continue;
      lost += (1 - most) * rarity;
      signals.relevance -= (1 - most) * rarity * saturatedWeight(this.#index, number, skill);
    }
    signals.coverage -= lost / this.#topicTotal;
    signals.likeness = all === 0 ? 1 : 1 - lost / all;
  }

  #compareClause(kind: number, start: number, end: number, signals: Signals): void {
    const { clauseTerms, slots, rarity } = this.#index;
    const lastClause = this.#lastClause;
    const isCounted = kind < PHRASE_KIND || kind === SAMPLE_KIND;
    const most = kind === NEGATIVE ? this.#denied : this.#likeness;
    this.#clause += 1;
    // Of the clause's terms: the sum of their rarities.
    let sum = 0;
    // Of the terms that the message has as well, each once.
    let common = 0;
    // Of the longest run that stands in the message as it does here.
    let longest = 0;
    let before = 0;
    let run = 0;
    for (let index = start; index < end; index += 1) {
      const word = clauseTerms[index] as number;
      const term = termOf(word);
      const termRarity = rarity[term] as number;
      sum += termRarity;
      const slot = slots[term] as number;
      if (slot > 0) {
        const like = likeness(this.#endings[slot - 1] ?? 0, word);
        const weight = like * (this.#rarity[slot - 1] as number);
        if (like > (most[slot - 1] as number)) most[slot - 1] = like;
        if (lastClause[slot - 1] !== this.#clause) {
          lastClause[slot - 1] = this.#clause;
          common += weight;
        }
        const isPair = before > 0 && this.#pairs.has(before - 1, slot - 1, isCounted);
        // Other forms of the words of a phrase are still that phrase, other words are not.
        const part = like < INFLECTED_LIKENESS ? weight : termRarity;
        run = isPair ? run + part : part;
        if (run > longest) longest = run;
      }
      before = slot;
    }
    if (common > 0) this.#rateClause(kind, { sum, common, longest }, signals);
  }

  #rateClause(
    kind: number,
    { sum, common, longest }: Readonly<Record<"sum" | "common" | "longest", number>>,
    signals: Signals,
  ): void {
    if (kind === PHRASE_KIND) {
      const share = sum === 0 ? 0 : (longest / sum) * (longest / (longest + PHRASE_NORM));
      signals.phrase = Math.max(signals.phrase, share);
    } else if (kind !== NEGATIVE) {
      // Sums of the same numbers in another order differ in their last digits.
      if (kind === NAME_KIND) {
        signals.nameShare = common / sum;
        if (longest >= sum * 0.999) signals.nameExact = 1;
      }
      signals.sentenceCoverage = Math.max(signals.sentenceCoverage, common / this.#total);
      if (kind === SAMPLE_KIND) signals.sample = Math.max(signals.sample, common / this.#total);
    }
  }

  /** BM25 over character 4-grams: apart, because it costs as much as all else and only the best need it. */
  compareCharacters(skill: number): number {
    const { clauseTerms } = this.#index;
    eachClause(this.#index, skill, (kind, start, end) => {
      if (kind >= PHRASE_KIND) return;
      for (let index = start; index < end; index += 1) this.#grams.add(termOf(clauseTerms[index] as number));
    });
    return this.#grams.takeScore();
  }
}

const SATURATION = 1.2;
const USUAL_HEADER_TERMS = 70;
const USUAL_HEADER_GRAMS = 300;

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

  has(left: number, right: number, isCounted: boolean): boolean {
    const number = this.#numbers[left * MAX_TERMS + right] as number;
    if (number > 0 && isCounted) this.#counts[number - 1] = (this.#counts[number - 1] as number) + 1;
    return number > 0;
  }

  /** The score of what was counted since the last one. */
  takeScore(headerTerms: number): number {
    const norm = SATURATION * (0.5 + (0.5 * headerTerms) / USUAL_HEADER_TERMS);
    let score = 0;
    for (let pair = 0; pair < this.#counts.length; pair += 1) {
      const count = this.#counts[pair] as number;
      if (count === 0) continue;
      score += ((this.#rarity[pair] as number) * count) / (count + norm);
      this.#counts[pair] = 0;
    }
    return score;
  }
}

/** Counts which of a message's character 4-grams the terms of a header have, and scores them as BM25 does. */
class GramTable {
  readonly #index: GramIndex;
  readonly #grams: number[] = [];
  readonly #rarity: readonly number[];
  readonly #counts: Float64Array;
  readonly #touched: number[] = [];
  // Headers share their words, and most words have no gram of the message: that is found out once for each.
  readonly #lacking: number[] = [];
  #length = 0;

  constructor(index: GramIndex, hashes: readonly number[]) {
    this.#index = index;
    for (const hash of hashes) {
      const gram = index.numbers.get(hash);
      if (gram !== undefined) this.#grams.push(gram);
    }
    this.#rarity = this.#grams.map(index.rarityOf);
    this.#counts = new Float64Array(this.#grams.length);
    this.#grams.forEach((gram, slot) => {
      index.slots[gram] = slot + 1;
    });
  }

  release(): void {
    for (const gram of this.#grams) this.#index.slots[gram] = 0;
    for (const term of this.#lacking) this.#index.lacking[term] = 0;
  }

  add(term: number): void {
    const { starts, grams, slots, lacking } = this.#index;
    const end = starts[term + 1] as number;
    const start = starts[term] as number;
    this.#length += end - start;
    if (lacking[term] === 1) return;
    let isLacking = true;
    for (let index = start; index < end; index += 1) {
      const slot = (slots[grams[index] as number] as number) - 1;
      if (slot < 0) continue;
      isLacking = false;
      const count = this.#counts[slot] as number;
      if (count === 0) this.#touched.push(slot);
      this.#counts[slot] = count + 1;
    }
    if (!isLacking) return;
    lacking[term] = 1;
    this.#lacking.push(term);
  }

  /** The score of what was added since the last one. */
  takeScore(): number {
    const norm = SATURATION * (0.5 + (0.5 * this.#length) / USUAL_HEADER_GRAMS);
    let score = 0;
    for (const slot of this.#touched) {
      const count = this.#counts[slot] as number;
      score += ((this.#rarity[slot] as number) * count) / (count + norm);
      this.#counts[slot] = 0;
    }
    this.#touched.length = 0;
    this.#length = 0;
    return score;
  }
}
