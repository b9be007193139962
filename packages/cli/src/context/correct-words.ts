import type { Skill } from "@skillet/core";
import { nearestName } from "@skillet/kit/nearest-name";
import { splitWords, stemWord } from "@skillet/kit/words";
import { loadSelecting } from "../load-beside.ts";

/** A long list would be compared with every word of a library. */
const MAX_WORDS = 8;

/**
 * The words as they were most likely meant, by those of the skills at hand; undefined where nothing would change.
 * Everyday words correct nothing: `wether` in a search is the weather, and more skills say "whether".
 */
export function correctWords(
  words: readonly string[],
  skills: readonly Skill[],
): readonly string[] | undefined {
  const { tellingOf } = loadSelecting();
  const known = new Set(
    skills
      .flatMap(({ name, manifest }) => splitWords(`${name} ${manifest.description}`))
      .filter((word) => /^[a-z]{3,}$/.test(word) && tellingOf(stemWord(word)) > 0),
  );
  const stems = new Set([...known].map(stemWord));
  const candidates = [...known];
  const meant = words.map((word, at) => {
    const isRight =
      at >= MAX_WORDS || word.length < 4 || tellingOf(stemWord(word)) < 1 || stems.has(stemWord(word));
    return isRight ? word : (nearestName(word, candidates) ?? word);
  });
  return meant.some((word, at) => word !== words[at]) ? meant : undefined;
}
