import { removeHidden } from "@skillet/kit/text";

/** Takes out of a text what a model must not be given. */
export type CleanText = (text: string) => string;

/**
 * Makes the function that cleans texts of a script once no escape hides anything in them: secrets go, and all that a
 * terminal obeys or a reader does not see.
 */
export function answerCleaner(redact: CleanText): CleanText {
  // Twice: a secret may hold what is removed, and with something hidden inside it is one only afterwards.
  return (text) => redact(removeHidden(redact(text).replaceAll(LINE_END, "\n")));
}

const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/**
 * Cleans every text and key of a JSON value; undefined when two keys of a map become one.
 *
 * By recursion: only for values whose depth was checked.
 */
export function cleanAnswer(value: unknown, clean: CleanText): { readonly value: unknown } | undefined {
  const cleaning = new Cleaning(clean);
  const cleaned = cleaning.apply(value);
  return cleaning.hasLostKeys ? undefined : { value: cleaned };
}

class Cleaning {
  readonly #clean: CleanText;
  hasLostKeys = false;

  constructor(clean: CleanText) {
    this.#clean = clean;
  }

  apply(value: unknown): unknown {
    if (typeof value === "string") return this.#clean(value);
    if (typeof value === "number") return this.#number(value);
    if (Array.isArray(value)) return value.map((item) => this.apply(item));
    if (typeof value !== "object" || value === null) return value;
    return this.#map(Object.entries(value));
  }

  // A secret of digits can be written as a number in many ways, 1.2e3 among them.
  #number(value: number): unknown {
    const text = String(value);
    const cleaned = this.#clean(text);
    return cleaned === text ? value : cleaned;
  }

  #map(entries: readonly (readonly [string, unknown])[]): object {
    const cleaned = new Map(entries.map(([key, item]) => [this.#clean(key), this.apply(item)]));
    this.hasLostKeys ||= cleaned.size !== entries.length;
    // Defines each as an own property, `__proto__` among them, as parsing JSON does.
    return Object.fromEntries(cleaned);
  }
}
