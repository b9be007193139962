import { callInvalid } from "@skillet/kit/errors";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import { COMMAND_MARK, EXTENSION_MARK, findExtensions } from "../document/find-evidence.ts";
import { charGrams } from "../text/char-grams.ts";
import { findFiles } from "./find-files.ts";

/** Of a longer message its beginning and its end are read: people ask before or after what they paste. */
const MAX_MESSAGE_CHARACTERS = 4_000;
const MESSAGE_END_CHARACTERS = 1_000;
const MAX_WORDS = 800;
export const MAX_TERMS = 64;
const MAX_GRAMS = 250;
const MAX_EVIDENCE = 40;

/** A message as the signals see it; everything in it is bounded, whatever was pasted. */
export interface Message {
  /** What is read of it. */
  readonly text: string;
  /** Its terms in order, repeated as they are; numbers of `terms`, -1 for what is beyond the bound. */
  readonly sequence: readonly number[];
  /** Its different terms, and a word of it that each stands for. */
  readonly terms: readonly string[];
  readonly words: readonly string[];
  /** The hashes of the character 4-grams of all but its stop words. */
  readonly grams: readonly number[];
  /** Its words as commands and the extensions in it, marked as the index marks them. */
  readonly evidence: readonly string[];
  /** The files that it names. */
  readonly files: readonly string[];
}

/** Reads a message once, for all signals. */
export function readMessage(message: string): Message {
  if (typeof message !== "string") throw callInvalid("The message", "a text");
  const text = cut(message);
  const numbers = new Map<string, number>();
  const terms: string[] = [];
  const words: string[] = [];
  const sequence: number[] = [];
  const grams = new Set<number>();
  const evidence = new Set(findExtensions(text).map((extension) => EXTENSION_MARK + extension));
  for (const word of splitWords(text.replace(VARIABLE, " ")).slice(0, MAX_WORDS)) {
    const term = stemWord(word);
    const known = numbers.get(term);
    if (known !== undefined || terms.length >= MAX_TERMS) {
      sequence.push(known ?? -1);
      continue;
    }
    numbers.set(term, terms.length);
    sequence.push(terms.length);
    terms.push(term);
    words.push(word);
    if (STOP_WORDS.has(word)) continue;
    if (grams.size < MAX_GRAMS) for (const gram of charGrams(term)) grams.add(gram);
    if (evidence.size < MAX_EVIDENCE) evidence.add(COMMAND_MARK + word);
  }
  return {
    text,
    sequence,
    terms,
    words,
    grams: [...grams].slice(0, MAX_GRAMS),
    evidence: [...evidence],
    files: findFiles(text),
  };
}

// The name of a variable and a price are no words: `$HOME` is not about homes.
const VARIABLE = /\$(?:[A-Z0-9_]+\b|\{\w+\})/g;

function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  const end = message.slice(-MESSAGE_END_CHARACTERS);
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS - MESSAGE_END_CHARACTERS)}\n${end}`;
}
