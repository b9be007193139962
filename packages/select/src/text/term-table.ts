import { splitWords, stemWord } from "@skillet/kit/words";

/** Where the ending of a word stands in its number; its term, of which an index has fewer than 16 million, is below. */
const ENDING_SHIFT = 24;
const TERM_MASK = (1 << ENDING_SHIFT) - 1;
const INFLECTED = 1 << 6;

export function termOf(word: number): number {
  return word & TERM_MASK;
}

/** How much a word says about another of the same stem: `commit` says all about itself, little about `commitment`. */
export function likeness(ending: number, word: number): number {
  const other = word >>> ENDING_SHIFT;
  if (ending === other) return 1;
  return areForms(ending, other) ? INFLECTED_LIKENESS : DERIVED_LIKENESS;
}

export function areForms(ending: number, other: number): boolean {
  return ending === other || (ending & other & INFLECTED) !== 0;
}

export const INFLECTED_LIKENESS = 0.95;
export const DERIVED_LIKENESS = 0.75;
const INFLECTION = /^(?:e?s|ie?s|e|e?d|ied|ing|y|)$/;

/** The end of a word that its stem lacks, as a number: a hash, and whether it makes another form of the same word. */
export function endingOf(word: string, stem: string): number {
  let at = 0;
  while (at < stem.length && word.charCodeAt(at) === stem.charCodeAt(at)) at += 1;
  // `planning` ends as `testing` does.
  const rest = word.slice(at > 0 && word.charAt(at) === word.charAt(at - 1) ? at + 1 : at);
  const isInflected = stem.charCodeAt(0) >= LATIN_END || INFLECTION.test(rest);
  return (hashText(rest) & (INFLECTED - 1)) | (isInflected ? INFLECTED : 0);
}

const LATIN_END = 0x250;

export class TermTable {
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  // Texts repeat their words. By hash: a word seen of late that is one term, its length and letters; the last one stays.
  readonly #recent: Int32Array = new Int32Array(RECENT_WORDS);
  readonly #lengths: Uint8Array = new Uint8Array(RECENT_WORDS);
  readonly #letters: Uint8Array = new Uint8Array(RECENT_WORDS * MAX_RECENT_BYTES);
  readonly #runs = new Map<string, readonly number[]>();

  intern(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    if (this.terms.length > TERM_MASK) return TERM_MASK;
    const number = this.terms.push(term) - 1;
    this.#numbers.set(term, number);
    return number;
  }

  /** The numbers of a text's words, in order: of each its term and its ending. */
  scan(text: string): number[] {
    // As bytes: otherwise a string is made of every word, and characters are read far more slowly.
    const bytes = Buffer.from(text);
    const { length } = bytes;
    const found: number[] = [];
    for (let end = 0; end < length; end += 1) {
      const start = end;
      let sum = 0;
      for (; end < length && IN_RUN[bytes[end] as number] === 1; end += 1)
        sum = Math.imul(sum, 0x01000193) ^ (bytes[end] as number);
      if (end === start) continue;
      const slot = (sum ^ (sum >>> 16)) & (RECENT_WORDS - 1);
      if (this.#isRecent(slot, bytes, start, end)) {
        found.push(this.#recent[slot] as number);
        continue;
      }
      const words = this.#wordsOf(bytes.toString("utf8", start, end));
      for (const word of words) found.push(word);
      if (words.length !== 1 || end - start > MAX_RECENT_BYTES) continue;
      this.#recent[slot] = words[0] as number;
      this.#lengths[slot] = end - start;
      this.#letters.set(bytes.subarray(start, end), slot * MAX_RECENT_BYTES);
    }
    return found;
  }

  #wordsOf(run: string): readonly number[] {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const words = splitWords(run).map((word) => {
      const stem = stemWord(word);
      return this.intern(stem) | (endingOf(word, stem) << ENDING_SHIFT);
    });
    this.#runs.set(run, words);
    return words;
  }

  #isRecent(slot: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[slot] !== end - start) return false;
    const shift = slot * MAX_RECENT_BYTES - start;
    for (let index = start; index < end; index += 1)
      if (this.#letters[index + shift] !== bytes[index]) return false;
    return true;
  }
}

const RECENT_WORDS = 1 << 14;
const MAX_RECENT_BYTES = 16;

// No word goes beyond a run of these; what in it is a word, beyond ASCII, is for `splitWords` to tell.
const IN_RUN: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 0x7f || /[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

const GRAM_LENGTH = 4;

/** The hashes of a term's character 4-grams, its edges marked; a short term has one, the whole of it. */
export function charGrams(term: string): number[] {
  const marked = `_${term}_`;
  const grams = [hashText(marked, 0, Math.min(GRAM_LENGTH, marked.length))];
  for (let start = 1; start + GRAM_LENGTH <= marked.length; start += 1)
    grams.push(hashText(marked, start, start + GRAM_LENGTH));
  return grams;
}

/** FNV-1a over UTF-16 units. Others can easily make equal ones: a hash stands for a text where that does no harm. */
export function hashText(text: string, start = 0, end: number = text.length): number {
  let sum = 0x811c9dc5;
  for (let index = start; index < end; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}
