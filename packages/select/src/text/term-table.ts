import { splitWords, stemWord } from "@skillet/kit/words";

/** Position of the ending in a word's number. An index has fewer than 16 million terms. */
const ENDING_SHIFT = 24;
const TERM_MASK = (1 << ENDING_SHIFT) - 1;
const INFLECTED = 1 << 6;

export function termOf(word: number): number {
  return word & TERM_MASK;
}

/** The likeness of two words with one stem: `commit` equals itself and is a little like `commitment`. */
export function likeness(ending: number, word: number): number {
  const other = word >>> ENDING_SHIFT;
  if (ending === other) return 1;
  return (ending & other & INFLECTED) === 0 ? DERIVED_LIKENESS : INFLECTED_LIKENESS;
}

export const INFLECTED_LIKENESS = 0.95;
const DERIVED_LIKENESS = 0.75;
const INFLECTION = /^(?:e?s|ie?s|e|e?d|ied|ing|y|)$/;

/** The part of a word beyond its stem, as a number: a hash, and whether it is an inflection. */
export function endingOf(word: string, stem: string): number {
  let at = 0;
  while (at < stem.length && word.charCodeAt(at) === stem.charCodeAt(at)) at += 1;
  // Skips the doubled letter, so that `planning` ends like `testing`.
  const rest = word.slice(at > 0 && word.charAt(at) === word.charAt(at - 1) ? at + 1 : at);
  const isInflected = stem.charCodeAt(0) >= LATIN_END || INFLECTION.test(rest);
  return (hashText(rest) & (INFLECTED - 1)) | (isInflected ? INFLECTED : 0);
}

const LATIN_END = 0x250;

/** Words as one text that is equal for all inflections, but not for other words with the same stems. */
export function formsOf(words: readonly string[]): string {
  const forms = words.map((word) => {
    const stem = stemWord(word);
    const ending = endingOf(word, stem);
    return ending & INFLECTED ? stem : `${stem}-${ending}`;
  });
  return ` ${forms.join(" ")} `;
}

export class TermTable {
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  // A cache: texts repeat their words.
  readonly #runs = new Map<string, readonly number[]>();

  intern(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    if (this.terms.length > TERM_MASK) return TERM_MASK;
    const number = this.terms.push(term) - 1;
    this.#numbers.set(term, number);
    return number;
  }

  /** The numbers of a text's words in order; each number combines term and ending. */
  scan(text: string): number[] {
    const found: number[] = [];
    for (const run of text.match(RUN) ?? []) {
      let words = this.#runs.get(run);
      if (words === undefined) {
        words = splitWords(run).map((word) => {
          const stem = stemWord(word);
          return this.intern(stem) | (endingOf(word, stem) << ENDING_SHIFT);
        });
        this.#runs.set(run, words);
      }
      for (const word of words) found.push(word);
    }
    return found;
  }
}

// No word extends beyond such a run; `splitWords` decides what is a word beyond ASCII.
const RUN = /[A-Za-z0-9\u0080-\uffff]+/g;

const GRAM_LENGTH = 4;

/** The hashes of a term's character 4-grams, with marked edges; a short term has a single gram. */
export function charGrams(term: string): number[] {
  const marked = `_${term}_`;
  const grams = [hashText(marked, 0, Math.min(GRAM_LENGTH, marked.length))];
  for (let start = 1; start + GRAM_LENGTH <= marked.length; start += 1)
    grams.push(hashText(marked, start, start + GRAM_LENGTH));
  return grams;
}

/** FNV-1a over UTF-16 units. Collisions are easy to make: use it only if they do no harm. */
function hashText(text: string, start = 0, end: number = text.length): number {
  let sum = 0x811c9dc5;
  for (let index = start; index < end; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}
