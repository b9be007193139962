import { lookalikeOf, standInOf } from "./confusables.ts";
import { alphabetOf, FOREIGN, isDisguised, naturalAlphabets, WORDS } from "./fold-text.ts";

export interface Homoglyph {
  readonly offset: number;
  readonly word: string;
  readonly looksLike: string;
}

/** Finds words of ASCII with foreign letters in them, and words wholly of look-alikes in a text of another alphabet. */
export function findHomoglyphs(text: string): Homoglyph[] {
  if (!FOREIGN.test(text)) return [];
  const alphabets = naturalAlphabets(text);
  const found: Homoglyph[] = [];
  for (const { offset, word } of foreignWords(text)) {
    if (!isMixed(word, alphabets) && !isDisguised(word, alphabets)) continue;
    let looksLike = "";
    for (const character of word) looksLike += standInOf(character) ?? character;
    found.push({ offset, word, looksLike });
    if (found.length >= MAX_HOMOGLYPHS) break;
  }
  return found;
}

/** Words with a foreign letter; a text of which most is ASCII is not split into words for the few. */
function* foreignWords(text: string): Iterable<{ readonly offset: number; readonly word: string }> {
  FOREIGN_LETTER.lastIndex = 0;
  for (let match = FOREIGN_LETTER.exec(text); match !== null; match = FOREIGN_LETTER.exec(text)) {
    let start = match.index;
    let end = match.index + 1;
    while (start > match.index - MAX_WORD_CHARACTERS && start > 0 && !isBreak(text, start - 1)) start--;
    while (end < match.index + MAX_WORD_CHARACTERS && end < text.length && !isBreak(text, end)) end++;
    for (const { 0: word, index } of text.slice(start, end).matchAll(WORDS))
      if (FOREIGN.test(word) && word.length <= MAX_WORD_CHARACTERS) yield { offset: start + index, word };
    FOREIGN_LETTER.lastIndex = end;
  }
}

const FOREIGN_LETTER = new RegExp(FOREIGN.source, "g");

// ASCII that is neither letter, digit nor underscore.
function isBreak(text: string, at: number): boolean {
  return /[\0-/:-@[-^`{-\x7f]/.test(text.charAt(at));
}

const MAX_WORD_CHARACTERS = 200;
const MAX_HOMOGLYPHS = 50;

/**
 * Whether foreign letters hide among ASCII ones. `TNFα`, `μs` and `Δx` are science, `JSONом` is an inflected word: a disguise has
 * a look-alike before an ASCII letter, in a word of ordinary letters, and no letter that gives it away.
 */
function isMixed(word: string, alphabets: ReadonlySet<string>): boolean {
  const characters = [...word];
  if (characters.length < 3 || !ASCII_LETTER.test(word)) return false;
  let hides = false;
  for (const [index, character] of characters.entries()) {
    if (!FOREIGN.test(character)) continue;
    const role = roleOf(character, characters[index - 1] ?? "", characters[index + 1] ?? "", alphabets);
    if (role === "honest") return false;
    if (role === "hidden") hides = true;
  }
  return hides;
}

const ASCII_LETTER = /[A-Za-z]/;

function roleOf(
  character: string,
  before: string,
  after: string,
  alphabets: ReadonlySet<string>,
): "honest" | "hidden" | "neither" {
  const alphabet = alphabetOf(character);
  // Phonetic letters and dotless i belong to Latin orthographies.
  if (alphabet === "Latin") return "honest";
  const isInside = ASCII_LETTER.test(before) && ASCII_LETTER.test(after);
  // The less alike ones deceive only in the middle of a word.
  if (lookalikeOf(character) === undefined)
    return standInOf(character) !== undefined && alphabet !== "Greek" && isInside ? "hidden" : "honest";
  if (alphabet === "Greek") return isInside ? "hidden" : "neither";
  if (ASCII_LETTER.test(after)) return "hidden";
  return ASCII_LETTER.test(before) && !alphabets.has(alphabet) ? "hidden" : "neither";
}
