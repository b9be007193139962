/** The words of a text in lower case: names in camel case in parts, scripts without spaces in pairs of characters. */
export function splitWords(text: string): readonly string[] {
  // Nearly all text is ASCII, and Unicode properties make patterns several times as slow.
  if (ASCII.test(text)) return separate(text, /([a-z0-9])([A-Z])/g).match(/[a-z0-9]+/g) ?? [];
  const words = separate(text.normalize("NFKC"), /([\p{Ll}\p{N}])(\p{Lu})/gu).match(/[\p{L}\p{M}\p{N}]+/gu);
  return words?.flatMap((word) => (UNSPACED.test(word) ? pairUp(word) : word)) ?? [];
}

/** A word without its ending, so that `forms`, `forming` and `formed` are the same; right often enough to rank by. */
export function stemWord(word: string): string {
  if (word.length < 4) return word;
  const singular = word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  const stem = singular.replace(/(?:ing|ed|e)$/, "").replace(/y$/, "i");
  if (stem.length < 3) return singular;
  return /([bdfgklmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

const ASCII = /^[\0-\x7f]*$/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function separate(text: string, humps: RegExp): string {
  return text.replace(humps, "$1 $2").toLowerCase();
}

function pairUp(word: string): readonly string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return [word];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
