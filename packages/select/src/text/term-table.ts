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
  return (ending & other & INFLECTED) === 0 ? DERIVED_LIKENESS : INFLECTED_LIKENESS;
}

export const INFLECTED_LIKENESS = 0.95;
const DERIVED_LIKENESS = 0.75;
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

/** Words as one text that is the same for all forms of them, and not for other words of the same stems. */
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
  // Texts repeat their words.
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

// No word goes beyond a run of these; what in it is a word, beyond ASCII, is for `splitWords` to tell.
const RUN = /[A-Za-z0-9\u0080-\uffff]+/g;

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
function hashText(text: string, start = 0, end: number = text.length): number {
  let sum = 0x811c9dc5;
  for (let index = start; index < end; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}
