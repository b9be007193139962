/**
 * The words of a text in order, in lower case and NFKC, without diacritics on Latin letters.
 *
 * Identifiers give parts and whole (`fooBar`: foo, bar, foobar); unspaced scripts give character pairs.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  // Nearly all text is ASCII, and Unicode properties make patterns several times slower.
  if (ASCII.test(text)) {
    for (const run of text.match(ASCII_RUN) ?? []) addRun(run, words);
    return words;
  }
  const { latinMarks, run: anyRun, unspaced } = unicode();
  const folded = text.normalize("NFKD").replace(latinMarks, "$1").normalize("NFKC");
  for (const run of folded.match(anyRun) ?? []) {
    if (unspaced.test(run)) addUnspaced(run, words);
    else addRun(run, words);
  }
  return words;
}

const ASCII = /^[\0-\x7f]*$/;
const ASCII_RUN = /[A-Za-z0-9]+/g;
const UNSPACED_SCRIPTS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const HAS_HUMP = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;

// Compiled on first use: Unicode properties are slow to build.
let patterns: ReturnType<typeof createPatterns> | undefined;

function unicode(): ReturnType<typeof createPatterns> {
  patterns ??= createPatterns();
  return patterns;
}

function createPatterns() {
  return {
    // A mark belongs to the letter before it; without a letter it is not a word.
    run: /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu,
    latinMarks: /([A-Za-z])\p{M}+/gu,
    unspaced: new RegExp(`[${UNSPACED_SCRIPTS}]`, "u"),
    unspacedParts: new RegExp(`[${UNSPACED_SCRIPTS}\\p{M}ー]+|[^${UNSPACED_SCRIPTS}]+`, "gu"),
    // `PDFs` is a plural, not a hump.
    hump: /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/u,
  };
}

/** Longer words are encodings or keys, and any one term for them will do. */
const MAX_WORD = 40;

function addRun(run: string, words: string[]): void {
  const whole = run.toLowerCase().slice(0, MAX_WORD);
  if (HAS_HUMP.test(run) && run.length <= MAX_WORD) {
    const parts = run.split(unicode().hump);
    if (parts.length > 1) for (const part of parts) words.push(part.toLowerCase());
  }
  words.push(whole);
}

// Latin names in the middle of Chinese sentences are words of their own.
function addUnspaced(run: string, words: string[]): void {
  const { unspacedParts, unspaced } = unicode();
  for (const [part] of run.matchAll(unspacedParts)) {
    if (!unspaced.test(part)) {
      addRun(part, words);
      continue;
    }
    const characters = Array.from(part);
    if (characters.length === 1) words.push(part);
    for (let index = 1; index < characters.length; index += 1)
      words.push(`${characters[index - 1]}${characters[index]}`);
  }
}

/** Accurate enough for ranking; applied to the words of skills and messages alike, so that errors match. */
export function stemWord(word: string): string {
  if (word.length < 4) return word;
  const first = word.charCodeAt(0);
  if (first < 0x250) return /[0-9]/.test(word) ? word : stripLatin(word);
  // In Cyrillic, Greek, Hebrew, Arabic and Indian scripts, inflection is at the end as well.
  return word.length > 5 ? word.slice(0, Math.max(5, word.length - 2)) : word;
}

const VOWEL = /[aeou]/;
const SHORTEST_STEM = 4;

// By their last letter, longest first: `ization` must not leave `iz` where `ize` does not.
const SUFFIXES: ReadonlyMap<string | undefined, readonly string[]> = new Map(
  `ization isation ation ion,ational ical ful al,fulness iveness ness ions,ability ally ity ly y,ating ing,ment,ic,
able ible ance ence ive ize ise ate ie e,ator er or,ated ed`
    .split(/,\n?/)
    .map((group) => [group.at(-1), group.split(" ")]),
);

// These may leave three letters; with any other suffix, `notion` would become a form of `not`.
const INFLECTIONS: ReadonlySet<string> = new Set(["ing", "ed", "er", "ie", "e"]);
// One-syllable stems that need an `e`: `note` is not `not`, nor `plane` `plan`, but `noting` is `note`.
const NEEDS_E = /^[^aeiou]*[aeiou][^aeiouwxy]$/;

function stripLatin(word: string): string {
  const singular = stripPlural(word);
  // `bees` is not a form of `be`.
  if (singular.length < SHORTEST_STEM) return singular;
  if (singular.length === SHORTEST_STEM) return stripY(singular);
  for (const suffix of SUFFIXES.get(singular.at(-1)) ?? []) {
    const length = singular.length - suffix.length;
    const shortest = SHORTEST_STEM - (INFLECTIONS.has(suffix) ? 1 : 0);
    if (length < shortest || !singular.endsWith(suffix)) continue;
    const rest = singular.slice(0, length);
    if (suffix === "y") return stripY(singular);
    if (suffix === "ie" || !INFLECTIONS.has(suffix)) return undouble(rest);
    const stem = NEEDS_E.test(rest) ? `${rest}e` : stripY(undouble(rest));
    // `offer` is not a form of `off`, nor `letter` of `let`.
    return suffix === "er" && STOP_WORDS.has(stem) ? singular : stem;
  }
  return singular;
}

function stripY(word: string): string {
  return word.length >= SHORTEST_STEM && word.endsWith("y") && !VOWEL.test(word.charAt(word.length - 2))
    ? word.slice(0, -1)
    : word;
}

function stripPlural(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  return word.slice(0, -1);
}

function undouble(stem: string): string {
  const last = stem.charCodeAt(stem.length - 1);
  if (stem.length <= 3 || last !== stem.charCodeAt(stem.length - 2)) return stem;
  // `ll`, `ss` and `zz` belong to the word: install, process, buzz.
  return last === 0x6c || last === 0x73 || last === 0x7a ? stem : stem.slice(0, -1);
}

/** Words that say nothing about a topic; kept as terms, but left out of character n-grams and of reasons. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can could did do does doing " +
    "don for from get give go had has have he her here him his how i if im in into is it its just let like ll make me " +
    "more my need no not now of off on one only or our out over please re s she should so some such t than that the " +
    "their them then there these they thing this those to too under up us use used user using ve very want was we were " +
    "what when where which while who why will with would you your yes skill"
  ).split(" "),
);
