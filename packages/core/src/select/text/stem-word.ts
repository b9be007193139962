/**
 * A lower-case word without its endings, so that `generate`, `generator` and `generation` are one term.
 *
 * Right often enough to rank by; both the skills' words and the message's go through it, so that its errors meet.
 */
export function stemWord(word: string): string {
  if (word.length < 4) return word;
  const first = word.charCodeAt(0);
  if (first < 0x250) return DIGIT.test(word) ? word : stripLatin(word);
  // Inflection sits at the end in Cyrillic, Greek, Hebrew, Arabic and the scripts of India as well.
  return word.length > 5 ? word.slice(0, Math.max(5, word.length - 2)) : word;
}

const DIGIT = /[0-9]/;
const VOWEL = /[aeou]/;
const SHORTEST_STEM = 4;

// Longest first: `ization` must not leave `iz` behind where `ize` does not.
const SUFFIXES = [
  "ization",
  "isation",
  "ational",
  "fulness",
  "iveness",
  "ability",
  "ation",
  "ating",
  "ment",
  "ness",
  "able",
  "ible",
  "ance",
  "ence",
  "ator",
  "ated",
  "ally",
  "ical",
  "ions",
  "ing",
  "ion",
  "ive",
  "ize",
  "ise",
  "ate",
  "ity",
  "ful",
  "ed",
  "er",
  "or",
  "al",
  "ly",
  "ic",
  "ie",
  "e",
  "y",
] as const;

function stripLatin(word: string): string {
  const singular = stripPlural(word);
  // `bees` is no form of `be`.
  if (singular.length < SHORTEST_STEM) return singular;
  if (singular.length === SHORTEST_STEM)
    return /(?:e|[^aeiou]y)$/.test(singular) ? singular.slice(0, -1) : singular;
  for (const suffix of SUFFIXES) {
    const length = singular.length - suffix.length;
    if (length < SHORTEST_STEM - (suffix.length <= 3 ? 1 : 0) || !singular.endsWith(suffix)) continue;
    // `deploy` is a stem itself, `reply` and `replies` are not.
    if (suffix === "y" && VOWEL.test(singular.charAt(length - 1))) return singular;
    return undouble(singular.slice(0, length));
  }
  return singular;
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
