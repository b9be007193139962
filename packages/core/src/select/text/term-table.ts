import { splitWords, stemWord } from "@skillet/kit/words";
import { HASH_START, hashUnit } from "./hash-text.ts";

/**
 * Gives every different term of many texts a number; the same terms as `splitWords` and `stemWord` give, without
 * making a string of each word: a hundred thousand skills have hundreds of millions of them.
 */
export class TermTable {
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  // Words as they stand, in lower case: an open-addressed table whose slots hold hash, term, and where in the letters the
  // word begins and ends, side by side: each look-up waits for one line of memory and for the letters.
  #slots: Int32Array = new Int32Array(SLOT_NUMBERS << 12);
  #letters: Uint8Array = new Uint8Array(1 << 14);
  #letterCount = 1;
  #wordCount = 0;
  // A text is read as bytes: strings are read through a check of what kind they are, at every character.
  #bytes: Buffer = Buffer.alloc(1 << 12);
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
    const length = this.#write(text);
    const bytes = this.#bytes;
    this.#foundCount = 0;
    // A character is at most one term and a hump: no text has more, and none is long.
    if (this.#found.length < length * 2) this.#found = new Int32Array(length * 2);
    for (let index = 0; index < length; index += 1) {
      const start = index;
      // What is left of a symbol that ended the word before.
      if (isContinuation(bytes[start] as number)) continue;
      let sum = HASH_START;
      let kinds = 0;
      for (; index < length; index += 1) {
        const byte = bytes[index] as number;
        const kind = KINDS[byte] as number;
        if (kind === OTHER || (kind === WIDE && isSymbol(bytes, index))) break;
        // Where a word begins, a capital says nothing.
        kinds |= kind === UPPER && index === start ? 0 : kind;
        sum = hashUnit(sum, byte | LOWER_CASE);
      }
      if (index === start) continue;
      // Capitals inside of a word may be humps, and beyond ASCII there is more to know: both the careful way.
      const needsCare = (kinds & WIDE) !== 0 || kinds === (LOWER | UPPER);
      if (!needsCare && index - start <= MAX_PLAIN_WORD) this.#push(this.#termOf(start, index, sum));
      else
        for (const word of splitWords(bytes.toString("utf8", start, index)))
          this.#push(this.intern(stemWord(word)));
    }
    return this.#found.subarray(0, this.#foundCount);
  }

  #write(text: string): number {
    if (this.#bytes.length < text.length * MAX_UNIT_BYTES)
      this.#bytes = Buffer.alloc(text.length * MAX_UNIT_BYTES * 2);
    return this.#bytes.write(text, "utf8");
  }

  #push(term: number): void {
    // Compatibility forms may be written out longer than they stand there.
    if (this.#foundCount === this.#found.length) this.#found = widen(this.#found, this.#foundCount + 1);
    this.#found[this.#foundCount] = term;
    this.#foundCount += 1;
  }

  #termOf(start: number, end: number, sum: number): number {
    const slots = this.#slots;
    const mask = slots.length - SLOT_NUMBERS;
    for (let slot = (sum * SLOT_NUMBERS) & mask; ; slot = (slot + SLOT_NUMBERS) & mask) {
      const from = slots[slot + 2] as number;
      if (from === 0) return this.#addWord(start, end, sum, slot);
      if (slots[slot] === sum && slots[slot + 3] === from + end - start && this.#isWord(from, start, end))
        return slots[slot + 1] as number;
    }
  }

  // Equal hashes are easily made: a word is only what it is letter by letter.
  #isWord(from: number, start: number, end: number): boolean {
    const letters = this.#letters;
    const bytes = this.#bytes;
    for (let index = start, letter = from; index < end; index += 1, letter += 1)
      if (letters[letter] !== ((bytes[index] as number) | LOWER_CASE)) return false;
    return true;
  }

  #addWord(start: number, end: number, sum: number, slot: number): number {
    const term = this.intern(stemWord(this.#bytes.toString("latin1", start, end).toLowerCase()));
    const from = this.#letterCount;
    this.#letterCount += end - start;
    this.#letters = widen(this.#letters, this.#letterCount);
    for (let index = start; index < end; index += 1)
      this.#letters[from + index - start] = (this.#bytes[index] as number) | LOWER_CASE;
    this.#slots.set([sum, term, from, this.#letterCount], slot);
    this.#wordCount += 1;
    if (this.#wordCount * 2 * SLOT_NUMBERS > this.#slots.length) this.#growSlots();
    return term;
  }

  #growSlots(): void {
    const old = this.#slots;
    const slots = new Int32Array(old.length * 2);
    const mask = slots.length - SLOT_NUMBERS;
    for (let from = 0; from < old.length; from += SLOT_NUMBERS) {
      if (old[from + 2] === 0) continue;
      let slot = ((old[from] as number) * SLOT_NUMBERS) & mask;
      while (slots[slot + 2] !== 0) slot = (slot + SLOT_NUMBERS) & mask;
      slots.set(old.subarray(from, from + SLOT_NUMBERS), slot);
    }
    this.#slots = slots;
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * Whether an arrow, a dash, a line of a drawing or an emoji begins here: of all that is not ASCII these are the most, and
 * the careful way would take most of the time to find no word in them.
 */
function isSymbol(bytes: Uint8Array, index: number): boolean {
  const first = bytes[index] as number;
  if (first === 0xe2) return SYMBOLS[trail(bytes, index + 1)] === 1;
  return first === 0xf0 && bytes[index + 1] === 0x9f && PICTURES[trail(bytes, index + 2)] === 1;
}

/** The twelve bits that two bytes hold. */
function trail(bytes: Uint8Array, index: number): number {
  return (((bytes[index] as number) & 0x3f) << 6) | ((bytes[index + 1] as number) & 0x3f);
}

// Letters and digits are among them in other forms, such as ™ and ①.
function symbolsFrom(codePoint: number): Uint8Array {
  return Uint8Array.from({ length: 0x1000 }, (_, place) => {
    const character = String.fromCodePoint(codePoint + place);
    const forms = character + character.normalize("NFKD") + character.normalize("NFKC");
    return /[\p{L}\p{M}\p{N}]/u.test(forms) ? 0 : 1;
  });
}

const SYMBOLS: Uint8Array = symbolsFrom(0x2000);
const PICTURES: Uint8Array = symbolsFrom(0x1f000);

function widen<Numbers extends Int32Array | Uint8Array>(numbers: Numbers, length: number): Numbers {
  if (length <= numbers.length) return numbers;
  const Kind = numbers.constructor as new (length: number) => Numbers;
  const wider = new Kind(numbers.length * 2);
  wider.set(numbers);
  return wider;
}

const SLOT_NUMBERS = 4;
const MAX_UNIT_BYTES = 3;

// Of the letters and digits of ASCII, capitals are the only ones without this bit.
const LOWER_CASE = 0x20;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const WIDE = 4;
const MAX_PLAIN_WORD = 40;

const KINDS: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte > 127) return WIDE;
  const character = String.fromCharCode(byte);
  if (/[a-z0-9]/.test(character)) return LOWER;
  return /[A-Z]/.test(character) ? UPPER : OTHER;
});
