import type { Skill } from "@skillet/core";
import { editDistance } from "@skillet/kit/nearest-name";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import { loadSelecting } from "../load-beside.ts";

/** Possible typos: not short words, names within a sentence, parts of paths or possessives. */
const WORD = /(?:^[A-Z]|(?<![\p{L}\p{N}_.@/'’])[a-z])[a-z]{4,}(?!['’]?[\p{L}\p{N}_@/])/gu;

/** Every one of them is compared with every word of the library. */
const MAX_WORDS = 8;

interface CorrectionRequest {
  readonly skills: readonly Skill[];
  /** Words that no skill contains, for searches that go beyond names and descriptions. */
  readonly unknownWords?: readonly string[];
  readonly isFound: (text: string) => boolean | Promise<boolean>;
}

/**
 * Returns what the user most likely meant, in the skills' words; empty if that finds nothing either. Without
 * a dictionary, a correct word that no skill contains looks like a typo. Changes 2 of 5,229 correct phrases.
 */
export async function correctWords(
  text: string,
  { skills, unknownWords, isFound }: CorrectionRequest,
): Promise<string> {
  const { isFunctionWord, tellingOf } = loadSelecting();
  const small = splitWords(text).filter((word) => isFunctionWord(stemWord(word)));
  if (small.filter((word) => STOP_WORDS.has(word)).length * 2 < small.length) return "";
  const said = skills.flatMap(({ name, manifest }) => splitWords(`${name} ${manifest.description}`));
  const isKnown = (word: string): boolean =>
    said.some((one) => one.includes(word)) || unknownWords?.includes(word) === false;
  const candidates = [...new Set(said)].filter(
    (word) => /^[a-z]{4,}$/.test(word) && tellingOf(stemWord(word)) > 0,
  );
  let left = MAX_WORDS;
  const corrected = text.replaceAll(WORD, (word) => {
    const typed = word.toLowerCase();
    if (tellingOf(stemWord(typed)) < 1 || isKnown(typed) || left === 0) return word;
    left -= 1;
    return candidates.find((one) => isSlip(typed, one)) ?? word;
  });
  return corrected !== text && (await isFound(corrected)) ? corrected : "";
}

/** Other words can be just as close: `sentry` and `entry`, `desk` and `disk`, `tablet` and `table`. */
function isSlip(typed: string, meant: string): boolean {
  return (
    typed[0] === meant[0] &&
    !typed.startsWith(meant) &&
    Math.abs(typed.length - meant.length) < 2 &&
    editDistance(typed, meant) === 1 &&
    (typed.length > 6 || [...typed].every((letter) => meant.includes(letter)))
  );
}
