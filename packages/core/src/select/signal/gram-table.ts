import type { IndexPart } from "../index/skill-index.ts";

const TABLE = 1024;
const NO_GRAMS = -1;
const SATURATION = 1.2;
const USUAL_GRAMS = 300;

/** Counts which of a message's character 4-grams the terms of a header have, and scores them as BM25 does. */
export class GramTable {
  readonly #part: IndexPart;
  readonly #hashes: Uint32Array = new Uint32Array(TABLE);
  readonly #slots: Uint16Array = new Uint16Array(TABLE);
  readonly #rarity: Float64Array;
  readonly #counts: Float64Array;
  readonly #touched: number[] = [];
  // Headers share their words: what a term has in common with the message is found once, and most have nothing.
  readonly #common: (readonly number[])[] = [];
  readonly #known: number[] = [];
  #length = 0;

  constructor(part: IndexPart, grams: readonly number[]) {
    this.#part = part;
    this.#rarity = Float64Array.from(grams, part.gramRarity);
    this.#counts = new Float64Array(grams.length);
    grams.forEach((gram, index) => {
      let place = gram & (TABLE - 1);
      while (this.#slots[place] !== 0) place = (place + 1) & (TABLE - 1);
      this.#hashes[place] = gram;
      this.#slots[place] = index + 1;
    });
  }

  clear(): void {
    for (const slot of this.#touched) this.#counts[slot] = 0;
    this.#touched.length = 0;
    this.#length = 0;
  }

  /** Adds the terms of a clause, from one place of the segment's clauses to another. */
  addRange(start: number, end: number): void {
    const { gramMarks, segment } = this.#part;
    const { clauseTerms, gramStarts } = segment;
    for (let index = start; index < end; index += 1) {
      const term = clauseTerms[index] as number;
      this.#length += (gramStarts[term + 1] as number) - (gramStarts[term] as number);
      const mark = gramMarks[term] as number;
      if (mark === NO_GRAMS) continue;
      this.#add(mark === 0 ? this.#findCommon(term) : mark);
    }
  }

  #add(mark: number): void {
    if (mark === NO_GRAMS) return;
    const common = this.#common[mark - 1] ?? [];
    for (let index = 0; index < common.length; index += 1) {
      const slot = common[index] as number;
      const count = this.#counts[slot] as number;
      if (count === 0) this.#touched.push(slot);
      this.#counts[slot] = count + 1;
    }
  }

  /** Leaves the part's working memory as it was. */
  release(): void {
    for (const term of this.#known) this.#part.gramMarks[term] = 0;
  }

  score(): number {
    const norm = SATURATION * (0.5 + (0.5 * this.#length) / USUAL_GRAMS);
    let score = 0;
    for (const slot of this.#touched) {
      const count = this.#counts[slot] as number;
      score += ((this.#rarity[slot] as number) * count) / (count + norm);
    }
    return score;
  }

  /** Marks a term with what it has in common with the message, which is found once. */
  #findCommon(term: number): number {
    const { grams, gramStarts } = this.#part.segment;
    let found: number[] | undefined;
    const end = gramStarts[term + 1] as number;
    for (let index = gramStarts[term] as number; index < end; index += 1) {
      const gram = grams[index] as number;
      let place = gram & (TABLE - 1);
      for (let slot = this.#slots[place] as number; slot !== 0; slot = this.#slots[place] as number) {
        if (this.#hashes[place] === gram) {
          found ??= [];
          found.push(slot - 1);
          break;
        }
        place = (place + 1) & (TABLE - 1);
      }
    }
    const mark = found === undefined ? NO_GRAMS : this.#common.push(found);
    this.#part.gramMarks[term] = mark;
    this.#known.push(term);
    return mark;
  }
}
