import { HASH_START, hashUnit } from "./hash-text.ts";
import { splitWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";

/**
 * Gives every different term of many texts a number; the same terms as `splitWords` and `stemWord` give, without
 * making a string of each word: a hundred thousand skills have hundreds of millions of them.
 */
export class TermTable {
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  // Words as they stand, in lower case: an open-addressed table of hashes and words, side by side in one place of memory,
  // and by word its units and the term that it stands for.
  #slots: Int32Array = new Int32Array(1 << 13).fill(-1);
  #words: Int32Array = new Int32Array(1 << 12);
  #count = 0;
  #units: Uint16Array = new Uint16Array(1 << 14);
  #unitCount = 0;
  #found: Int32Array = new Int32Array(1 << 12);
  #foundCount = 0;

  /** The number of a term as it is. */
  intern(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.terms.length;
    this.terms.push(term);
    this.#numbers.set(term, number);
    return number;
  }

  /** The numbers of a text's terms, in order; good until the next text. */
  scan(text: string): Int32Array {
    const { length } = text;
    this.#foundCount = 0;
    // A character is at most one term and a hump: no text has more, and none is long.
    if (this.#found.length < length * 2) this.#found = new Int32Array(length * 2);
    for (let index = 0; index < length; index += 1) {
      const start = index;
      let sum = HASH_START;
      let hasLower = false;
      let isOdd = false;
      for (; index < length; index += 1) {
        const unit = text.charCodeAt(index);
        const kind = unit < 128 ? (KINDS[unit] as number) : WIDE;
        if (kind === LOWER) {
          hasLower = true;
          sum = hashUnit(sum, unit);
        } else if (kind === OTHER) break;
        else {
          isOdd ||= kind === WIDE || index > start;
          hasLower ||= kind === WIDE;
          sum = hashUnit(sum, unit | 0x20);
        }
      }
      if (index === start) continue;
      const needsCare = isOdd && hasLower;
      // Capitals inside of a word may be humps, and beyond ASCII there is more to know: both the careful way.
      if (!needsCare && index - start <= MAX_PLAIN_WORD) this.#push(this.#termOf(text, start, index, sum));
      else for (const word of splitWords(text.slice(start, index))) this.#push(this.intern(stemWord(word)));
    }
    return this.#found.subarray(0, this.#foundCount);
  }

  #push(term: number): void {
    // Compatibility forms may be written out longer than they stand there.
    if (this.#foundCount === this.#found.length) this.#found = widen(this.#found, this.#foundCount + 1);
    this.#found[this.#foundCount] = term;
    this.#foundCount += 1;
  }

  #termOf(text: string, start: number, end: number, sum: number): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    let slot = (sum << 1) & mask;
    for (;;) {
      const word = slots[slot + 1] as number;
      if (word < 0) return this.#addWord(text.slice(start, end).toLowerCase(), sum, slot);
      if (slots[slot] === sum && this.#isWord(word, text, start, end))
        return this.#words[word * 3 + 2] as number;
      slot = (slot + 2) & mask;
    }
  }

  // Equal hashes are easily made: a word is only what it is unit by unit.
  #isWord(word: number, text: string, start: number, end: number): boolean {
    const from = this.#words[word * 3] as number;
    if (this.#words[word * 3 + 1] !== end - start) return false;
    for (let index = start; index < end; index += 1) {
      const unit = text.charCodeAt(index);
      const lower = KINDS[unit] === UPPER ? unit | 0x20 : unit;
      if (this.#units[from + index - start] !== lower) return false;
    }
    return true;
  }

  #addWord(word: string, sum: number, slot: number): number {
    const term = this.intern(stemWord(word));
    const number = this.#count;
    this.#count += 1;
    this.#units = widen(this.#units, this.#unitCount + word.length);
    this.#words = widen(this.#words, this.#count * 3);
    for (let index = 0; index < word.length; index += 1)
      this.#units[this.#unitCount + index] = word.charCodeAt(index);
    this.#words.set([this.#unitCount, word.length, term], number * 3);
    this.#unitCount += word.length;
    this.#slots[slot] = sum;
    this.#slots[slot + 1] = number;
    if (this.#count * 4 > this.#slots.length) this.#growSlots();
    return term;
  }

  #growSlots(): void {
    const old = this.#slots;
    const slots = new Int32Array(old.length * 2).fill(-1);
    const mask = slots.length - 2;
    for (let from = 0; from < old.length; from += 2) {
      const word = old[from + 1] as number;
      if (word < 0) continue;
      const sum = old[from] as number;
      let slot = (sum << 1) & mask;
      while ((slots[slot + 1] as number) >= 0) slot = (slot + 2) & mask;
      slots[slot] = sum;
      slots[slot + 1] = word;
    }
    this.#slots = slots;
  }
}

function widen<Numbers extends Int32Array | Uint16Array>(numbers: Numbers, length: number): Numbers {
  if (length <= numbers.length) return numbers;
  const Kind = numbers.constructor as new (length: number) => Numbers;
  const wider = new Kind(numbers.length * 2);
  wider.set(numbers);
  return wider;
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const WIDE = 3;
const MAX_PLAIN_WORD = 40;

const KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[a-z0-9]/.test(character)) return LOWER;
  return /[A-Z]/.test(character) ? UPPER : OTHER;
});
