import {
  eachClause,
  type GramIndex,
  NAME_KIND,
  PHRASE_KIND,
  SAMPLE_KIND,
  type SkillIndex,
} from "../index/skill-index.ts";
import { TOWARDS } from "../text/find-order.ts";
import { MAX_TERMS, type Message } from "../text/message.ts";
import { CLAUSE_KINDS } from "../text/split-clauses.ts";
import { INFLECTED_LIKENESS, likeness, termOf } from "../text/term-table.ts";
import { SAID_BESIDES, tellingOf, USUAL_SHARES } from "../text/usual-shares.ts";
import { type Candidate, type MessageTerm, NEAR_SHARE, saturatedWeight } from "./gather-candidates.ts";

const NEGATIVE = CLAUSE_KINDS.indexOf("negative");

/**
 * By a telling word of the header: one of the instructions, everyday words that make up a whole name, phrase or sentence, and common
 * words in their pair or as the verb and the object of an order.
 */
const TELLING_SHARES = { body: 0.5, phrase: 0.75, pair: 0.4 };

/** A phrase of one common word is not evidence: a phrase counts by how much it says at all. */
const PHRASE_NORM = 8;

/**
 * The least shares for a message to be one sentence of a header in other words: of what the message is about, of all its
 * words, and of the sentence, since a long one has any short message.
 */
const RETOLD = { topic: 0.7, message: 0.6, sentence: 0.2 };

/** Compares one message with the headers of many skills; `release` it afterwards. */
export class ClauseComparer {
  readonly #index: SkillIndex;
  readonly #terms: readonly MessageTerm[];
  readonly #rarity: Float64Array;
  readonly #endings: readonly number[];
  readonly #telling: readonly number[];
  readonly #topics: readonly number[];
  /** By term of the message: how like it is to the word of the skill, or of its limits, most like it; 0 for none. */
  readonly #likeness: Float64Array;
  readonly #denied: Float64Array;
  readonly #total: number;
  readonly #topicTotal: number;
  /** By term of the message: 1 where a header, where a name has it. */
  readonly #heard: Uint8Array;
  readonly #namedAfter: Uint8Array;
  // By first and second term: the number of the pair and one, or 0.
  readonly #pairs: Uint16Array = new Uint16Array(MAX_TERMS * MAX_TERMS);
  readonly #pairCounts: HeaderCounts;
  readonly #grams: GramIndex;
  readonly #gramNumbers: readonly number[];
  readonly #gramCounts: HeaderCounts;
  readonly #lastClause: Int32Array;
  readonly #order: Message["order"];
  /** What the message wants something made into. */
  readonly #results: ReadonlySet<number>;
  readonly #towards: readonly number[];
  readonly #from: number;
  #clause = 0;
  #paired = 0;

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
    this.#telling = message.terms.map(tellingOf);
    this.#heard = new Uint8Array(terms.length);
    this.#namedAfter = new Uint8Array(terms.length);
    terms.forEach(({ near }, slot) => {
      for (const number of near) index.slots[number] = slot + 1;
    });
    terms.forEach(({ number }, slot) => {
      if (number >= 0) index.slots[number] = slot + 1;
    });
    this.#pairCounts = new HeaderCounts(this.#numberPairs(message.sequence), USUAL_HEADER_TERMS);
    this.#grams = index.grams();
    this.#gramNumbers = message.grams.flatMap((hash) => this.#grams.numbers.get(hash) ?? []);
    this.#gramNumbers.forEach((gram, slot) => {
      this.#grams.slots[gram] = slot + 1;
    });
    this.#gramCounts = new HeaderCounts(this.#gramNumbers.map(this.#grams.rarityOf), USUAL_HEADER_GRAMS);
    this.#lastClause = new Int32Array(terms.length);
    this.#order = message.order;
    const isTopic = (slot: number): boolean => terms[slot]?.isTopic === true;
    this.#results = new Set(message.order?.results.filter(isTopic));
    this.#towards = TOWARDS.map(index.numberOf);
    this.#from = index.numberOf("from");
    this.#endings = message.endings;
    this.#topics = terms.map(({ isTopic }) => (isTopic ? 1 : 0));
    this.#likeness = new Float64Array(terms.length);
    this.#denied = new Float64Array(terms.length);
  }

  /**
   * How much a message is about, without words said besides and such as no header has, the place of "weather in Lisbon"; 0 where
   * it asks what a thing is. When all skills are compared.
   */
  rateSubject({ terms, sequence, isQuestionAbout }: Message): number {
    const subject = this.#terms.flatMap(({ isTopic }, slot) => {
      const term = terms[slot] ?? "";
      const isHeard = this.#heard[slot] === 1 || USUAL_SHARES.has(term);
      return isTopic && !SAID_BESIDES.has(term) && isHeard ? [slot] : [];
    });
    // "What's a webhook" asks what that is, "what's the weather" how it is now.
    const isDefinite = sequence.some(
      (slot, at) => subject.includes(slot) && terms[sequence[at - 1] ?? -1] === "the",
    );
    if ((isQuestionAbout && !isDefinite) || !subject.some((slot) => (this.#telling[slot] ?? 0) > 0)) return 0;
    return subject.reduce((sum, slot) => sum + (this.#rarity[slot] ?? 0), 0);
  }

  /** The share of a message in what a skill lacks of its order and others are named after; when all are compared. */
  rateLacked({ lacks }: Candidate): number {
    const named = lacks.filter((slot) => this.#namedAfter[slot] === 1);
    return named.reduce((sum, slot) => sum + (this.#rarity[slot] ?? 0), 0) / this.#total;
  }

  /** Numbers the neighbours of a message; how rare each pair is. */
  #numberPairs(sequence: readonly number[]): readonly number[] {
    const found: number[] = [];
    for (let index = 1; index < sequence.length; index += 1) {
      const left = sequence[index - 1] ?? -1;
      const right = sequence[index] ?? -1;
      if (left < 0 || right < 0 || this.#pairs[left * MAX_TERMS + right] !== 0) continue;
      // There is no index of pairs to count them by: two rare words make a rare pair.
      found.push(((this.#rarity[left] ?? 0) + (this.#rarity[right] ?? 0)) / 2);
      this.#pairs[left * MAX_TERMS + right] = found.length;
    }
    return found;
  }

  /** Leaves the index's working memory as it was. */
  release(): void {
    for (const { number, near } of this.#terms)
      for (const one of [number, ...near]) if (one >= 0) this.#index.slots[one] = 0;
    for (const gram of this.#gramNumbers) this.#grams.slots[gram] = 0;
  }

  compare(signals: Candidate): void {
    eachClause(this.#index, signals.skill, (kind, start, end) => {
      if (kind < PHRASE_KIND) signals.headerLength += end - start;
      else if (kind === PHRASE_KIND) signals.quotedLength += end - start;
      this.#compareClause(kind, start, end, signals);
      if (this.#results.size > 0 && kind < PHRASE_KIND) this.#takeResult(kind, start, end, signals);
    });
    signals.bigrams = this.#pairCounts.takeScore(signals.headerLength);
    this.#takeLikeness(signals);
  }

  /** Where the header has a word only in another form, it counts for less; of other texts the forms are not known. */
  #takeLikeness(signals: Candidate): void {
    let lost = 0;
    let all = 0;
    let told = 0;
    const hasOrder = this.#takeOrder(signals);
    for (let slot = 0; slot < this.#rarity.length; slot += 1) {
      const rarity = this.#rarity[slot] as number;
      const most = this.#likeness[slot] as number;
      const denied = this.#denied[slot] as number;
      if (denied > 0) {
        this.#denied[slot] = 0;
        signals.negativeCoverage += (denied * rarity) / this.#total;
        signals.negativeOnly += (Math.max(0, denied - most) * rarity) / this.#total;
      }
      const { number, isTopic } = this.#terms[slot] as MessageTerm;
      const telling = isTopic ? (this.#telling[slot] as number) : 0;
      const isInBody = telling > 0 && most === 0 && saturatedWeight(this.#index, number, signals.skill) > 0;
      told += telling * (isInBody ? TELLING_SHARES.body : most);
      this.#likeness[slot] = 0;
      if (most === 0 || !isTopic) continue;
      this.#heard[slot] = 1;
      all += rarity;
      if (most === 1) continue;
      if (saturatedWeight(this.#index, number, signals.skill) === 0) {
        signals.coverage += (most * rarity) / this.#topicTotal;
        continue;
      }
      lost += (1 - most) * rarity;
      signals.relevance -= (1 - most) * rarity * saturatedWeight(this.#index, number, signals.skill);
    }
    if (hasOrder) this.#paired = TELLING_SHARES.pair;
    signals.paired = this.#paired;
    signals.telling = Math.max(signals.telling, told + this.#paired);
    this.#paired = 0;
    signals.coverage -= lost / this.#topicTotal;
    signals.likeness = all === 0 ? 1 : 1 - lost / all;
  }

  /** Whether the header has what an order wants done, and what it is to be done to. */
  #takeOrder(signals: Candidate): boolean {
    if (this.#order === undefined) return false;
    const { verb, object, modifiers, results } = this.#order;
    const isSaid = (slot: number): boolean => (this.#likeness[slot] ?? 0) > 0;
    const isTelling = (slot: number): boolean => (this.#telling[slot] ?? 0) > 0;
    const named = [object, ...modifiers];
    const isLacking = (slots: readonly number[]): boolean => slots.some(isTelling) && !slots.some(isSaid);
    signals.lacks = [named, results].filter(isLacking).flat();
    signals.lacksOrder = signals.lacks.length > 0 || isLacking([verb]);
    signals.lacksAll =
      signals.lacksOrder &&
      this.#terms.every(({ isTopic }, slot) => !isTopic || [verb, ...named, ...results].includes(slot));
    // To the letter: what means about the same is no further evidence.
    const isMeant = (slot: number): boolean => (this.#likeness[slot] ?? 0) >= INFLECTED_LIKENESS;
    return [verb, object].every((slot) => isMeant(slot) && this.#terms[slot]?.isTopic === true);
  }

  /** Whether a clause makes what an order wants made, or takes it to make something else of it. */
  #takeResult(kind: number, start: number, end: number, signals: Candidate): void {
    const take = (isMade: boolean): void => {
      signals.makesResult ||= isMade;
    };
    let isPast: boolean | undefined;
    let isWaiting = false;
    for (const word of this.#index.clauseTerms.subarray(start, end)) {
      const term = termOf(word);
      if (this.#towards.includes(term) || term === this.#from) {
        isPast = term !== this.#from;
        if (isWaiting) take(!isPast);
        isWaiting = false;
      } else if (this.#results.has(this.#slotOf(term, kind !== NAME_KIND) - 1)) {
        if (isPast === undefined) isWaiting = true;
        else take(isPast);
      }
    }
    if (isWaiting) take(true);
  }

  #compareClause(kind: number, start: number, end: number, signals: Candidate): void {
    const { clauseTerms, rarity } = this.#index;
    const lastClause = this.#lastClause;
    const isCounted = kind < PHRASE_KIND || kind === SAMPLE_KIND;
    const most = kind === NEGATIVE ? this.#denied : this.#likeness;
    // Names, phrases and limits are meant to the letter.
    const mayBeNear = isCounted && kind !== NAME_KIND;
    this.#clause += 1;
    // Of the clause's terms: the sum of their rarities.
    let sum = 0;
    // Of the terms that the message has as well, each once; and of those that it is about.
    let common = 0;
    let about = 0;
    // Of the longest run that stands in the message as it does here.
    let longest = 0;
    let before = 0;
    let run = 0;
    let said = 0;
    for (let index = start; index < end; index += 1) {
      const word = clauseTerms[index] as number;
      const term = termOf(word);
      const termRarity = rarity[term] as number;
      sum += termRarity;
      const slot = this.#slotOf(term, mayBeNear);
      if (slot > 0) {
        said += 1;
        const like = this.#likenessOf(slot - 1, word);
        const weight = like * (this.#rarity[slot - 1] as number);
        if (like > (most[slot - 1] as number)) most[slot - 1] = like;
        if (lastClause[slot - 1] !== this.#clause) {
          lastClause[slot - 1] = this.#clause;
          common += weight;
          about += weight * (this.#topics[slot - 1] as number);
        }
        const isPair = before > 0 && this.#isPair(before - 1, slot - 1, isCounted);
        // Other forms of the words of a phrase are still that phrase, other words are not.
        const part = like < INFLECTED_LIKENESS ? weight : termRarity;
        run = isPair ? run + part : part;
        if (run > longest) longest = run;
      }
      before = slot;
    }
    if (common > 0)
      this.#rateClause(kind, { sum, common, about, longest, said, words: end - start }, signals);
  }

  /** The place of a term in the message, from 1; 0 where neither it nor, where that counts, one that is near is there. */
  #slotOf(term: number, mayBeNear: boolean): number {
    const slot = this.#index.slots[term] as number;
    return mayBeNear || this.#terms[slot - 1]?.number === term ? slot : 0;
  }

  #likenessOf(slot: number, word: number): number {
    const isSame = this.#terms[slot]?.number === termOf(word);
    return isSame ? likeness(this.#endings[slot] ?? 0, word) : NEAR_SHARE;
  }

  #isPair(left: number, right: number, isCounted: boolean): boolean {
    const pair = this.#pairs[left * MAX_TERMS + right] as number;
    if (pair > 0 && isCounted) {
      this.#pairCounts.add(pair - 1);
      if (this.#isTellingPair(left, right)) this.#paired = TELLING_SHARES.pair;
    }
    return pair > 0;
  }

  /** "Goes live": two words that say little each, but stand beside each other in both. */
  #isTellingPair(left: number, right: number): boolean {
    const isTopic = (slot: number): boolean => this.#terms[slot]?.isTopic === true;
    return isTopic(left) && isTopic(right) && (this.#telling[left] ?? 0) + (this.#telling[right] ?? 0) > 0;
  }

  #rateClause(
    kind: number,
    clause: Readonly<Record<"sum" | "common" | "about" | "longest" | "said" | "words", number>>,
    signals: Candidate,
  ): void {
    const { sum, common, about, longest, said, words } = clause;
    const isWhole = longest >= sum * 0.999; // Sums of the same numbers in another order differ in their last digits.
    // A name is meant in any order: `test-writer` writes tests.
    if (words > 1 && ((isWhole && kind === PHRASE_KIND) || (said === words && kind === NAME_KIND)))
      signals.telling = TELLING_SHARES.phrase;
    if (kind === PHRASE_KIND) {
      const share = sum === 0 ? 0 : (longest / sum) * (longest / (longest + PHRASE_NORM));
      signals.phrase = Math.max(signals.phrase, share);
    } else if (kind !== NEGATIVE) {
      if (kind === NAME_KIND) {
        signals.nameShare = common / sum;
        signals.isNamed = said === words && words > 1;
        if (isWhole) Object.assign(signals, { nameExact: 1, named: about });
        this.#markNamed();
      }
      const coverage = common / this.#total;
      const isRetold =
        about >= RETOLD.topic * this.#topicTotal &&
        coverage >= RETOLD.message &&
        common >= RETOLD.sentence * sum;
      if (isRetold && kind !== NAME_KIND && said > 2) signals.telling = TELLING_SHARES.phrase;
      signals.sentenceCoverage = Math.max(signals.sentenceCoverage, coverage);
      if (kind === SAMPLE_KIND) signals.sample = Math.max(signals.sample, common / this.#total);
    }
  }

  /** Marks the terms of the clause at hand, a name. */
  #markNamed(): void {
    for (const slot of this.#lastClause.keys())
      if (this.#lastClause[slot] === this.#clause) this.#namedAfter[slot] = 1;
  }

  /** BM25 over character 4-grams: apart, because it costs as much as all else and only the best need it. */
  compareCharacters(skill: number): number {
    const { clauseTerms } = this.#index;
    const { starts, grams, slots } = this.#grams;
    let length = 0;
    eachClause(this.#index, skill, (kind, start, end) => {
      for (let index = start; index < end && kind < PHRASE_KIND; index += 1) {
        const term = termOf(clauseTerms[index] as number);
        const last = starts[term + 1] as number;
        const first = starts[term] as number;
        length += last - first;
        for (let at = first; at < last; at += 1) {
          const slot = slots[grams[at] as number] as number;
          if (slot > 0) this.#gramCounts.add(slot - 1);
        }
      }
    });
    return this.#gramCounts.takeScore(length);
  }
}

const SATURATION = 1.2;
const USUAL_HEADER_TERMS = 70;
const USUAL_HEADER_GRAMS = 300;

/** Counts how often a header has the pairs or the character 4-grams of a message, and scores them as BM25 does. */
class HeaderCounts {
  readonly #rarity: readonly number[];
  readonly #usualLength: number;
  readonly #counts: Float64Array;
  readonly #touched: number[] = [];

  constructor(rarity: readonly number[], usualLength: number) {
    this.#rarity = rarity;
    this.#usualLength = usualLength;
    this.#counts = new Float64Array(rarity.length);
  }

  add(slot: number): void {
    const count = this.#counts[slot] as number;
    if (count === 0) this.#touched.push(slot);
    this.#counts[slot] = count + 1;
  }

  /** The score of what was counted since the last one. */
  takeScore(length: number): number {
    const norm = SATURATION * (0.5 + (0.5 * length) / this.#usualLength);
    let score = 0;
    for (const slot of this.#touched) {
      const count = this.#counts[slot] as number;
      score += ((this.#rarity[slot] as number) * count) / (count + norm);
      this.#counts[slot] = 0;
    }
    this.#touched.length = 0;
    return score;
  }
}
