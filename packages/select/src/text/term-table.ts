import { splitWords, stemWord } from "@skillet/kit/words";

/** Numbers the different terms of many texts: the stems of their words. */
export class TermTable {
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  // Texts repeat their words: each is split and stemmed once.
  readonly #known = new Map<string, readonly number[]>();

  intern(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.terms.push(term) - 1;
    this.#numbers.set(term, number);
    return number;
  }

  /** The numbers of a text's terms, in order. */
  scan(text: string): number[] {
    const found: number[] = [];
    for (const run of text.match(RUN) ?? []) {
      let terms = this.#known.get(run);
      if (terms === undefined) {
        terms = splitWords(run).map((word) => this.intern(stemWord(word)));
        this.#known.set(run, terms);
      }
      for (const term of terms) found.push(term);
    }
    return found;
  }
}

// No word goes beyond one of these; what in it is a word, beyond ASCII, is for `splitWords` to tell.
const RUN = /[A-Za-z0-9\u0080-\uffff]+/g;

const GRAM_LENGTH = 4;

/** The hashes of a term's character 4-grams, its edges marked; a short term has one, the whole of it. */
export function charGrams(term: string): number[] {
  const marked = `_${term}_`;
  const last = Math.max(0, marked.length - GRAM_LENGTH);
  return Array.from({ length: last + 1 }, (_, start) => hashText(marked.slice(start, start + GRAM_LENGTH)));
}

/** FNV-1a over UTF-16 units. Others can easily make equal ones: a hash stands for a text where that does no harm. */
export function hashText(text: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}
