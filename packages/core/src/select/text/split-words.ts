/**
 * The words of a text in order, in lower case and NFKC, without diacritics on Latin letters.
 *
 * Identifiers come in parts and whole (`fooBar` as foo, bar, foobar); scripts without spaces come in pairs of characters.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  // Nearly all text is ASCII, and Unicode properties make patterns several times as slow.
  if (ASCII.test(text)) {
    for (const [run] of text.matchAll(ASCII_RUN)) addRun(run, words);
    return words;
  }
  const folded = text.normalize("NFKD").replace(LATIN_MARKS, "$1").normalize("NFKC");
  for (const [run] of folded.matchAll(RUN)) {
    if (UNSPACED.test(run)) addUnspaced(run, words);
    else addRun(run, words);
  }
  return words;
}

const ASCII = /^[\0-\x7f]*$/;
const ASCII_RUN = /[A-Za-z0-9]+/g;
// A mark belongs to what stands before it; one without a letter is no word.
const RUN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const LATIN_MARKS = /([A-Za-z])\p{M}+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/u;
// `PDFs` is a plural, no hump.
const HAS_HUMP = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;

/** No word is longer: what is longer is an encoding or a key, and one term of it is as good as many. */
const MAX_WORD = 40;

function addRun(run: string, words: string[]): void {
  const whole = run.toLowerCase().slice(0, MAX_WORD);
  if (HAS_HUMP.test(run) && run.length <= MAX_WORD) {
    const parts = run.split(HUMP);
    if (parts.length > 1) for (const part of parts) words.push(part.toLowerCase());
  }
  words.push(whole);
}

// Latin names stand in the middle of Chinese sentences: they are words of their own.
function addUnspaced(run: string, words: string[]): void {
  for (const [part] of run.matchAll(UNSPACED_PARTS)) {
    if (!UNSPACED.test(part)) {
      addRun(part, words);
      continue;
    }
    const characters = Array.from(part);
    if (characters.length === 1) words.push(part);
    for (let index = 1; index < characters.length; index += 1)
      words.push(`${characters[index - 1]}${characters[index]}`);
  }
}

const UNSPACED_PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
