/**
 * A text as the language rules read it: lower case, without Latin accents, invisible characters,
 * compatibility forms and typographic marks, look-alike letters replaced. Other alphabets stay as they are.
 */
export function foldText(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  return foldLetters(foldForms(text)).toLowerCase();
}

/** Compatibility forms, typographic marks, marks on Latin letters and invisible characters made plain; case and lines stay. */
export function foldForms(text: string): string {
  let folded = IGNORABLE.test(text) ? text.replace(IGNORABLES, "") : text;
  folded = folded.replace(TYPOGRAPHIC, (mark) => PLAIN_MARKS.get(mark) ?? mark);
  if (isPlain(folded)) return folded;
  if (BADGE.test(folded)) folded = folded.replace(BADGES, badgeLetter);
  folded = folded.normalize("NFKC");
  if (!MARKED_LATIN.test(folded)) return folded;
  return folded.replace(LATIN_WITH_MARKS, (letter) => letter.normalize("NFD").replace(MARKS, ""));
}

/** Foreign letters inside ASCII words, and words wholly of look-alikes in a text that is not in that alphabet, as ASCII. */
export function foldLetters(text: string): string {
  if (!FOREIGN.test(text)) return text;
  const alphabets = naturalAlphabets(text);
  return text.replace(WORDS, (word) => {
    if (!FOREIGN.test(word)) return word;
    if (ASCII_LETTER.test(word)) return replaceLetters(word, standInOf);
    return isDisguised(word, alphabets) ? replaceLetters(word, lookalikeOf) : word;
  });
}

/** Whether a word without any ASCII letter reads as an ASCII one, in a text that does not otherwise use its alphabet. */
function isDisguised(word: string, naturalAlphabets: ReadonlySet<string>): boolean {
  let letters = 0;
  for (const character of word) {
    if (/\p{N}|_/u.test(character)) continue;
    if (lookalikeOf(character) === undefined || naturalAlphabets.has(alphabetOf(character))) return false;
    letters++;
  }
  return letters >= 3;
}

/** The alphabets in which a text has words with letters unlike any ASCII one: real words of a language, not a disguise. */
function naturalAlphabets(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [word] of text.matchAll(FOREIGN_WORDS)) {
    if (found.size >= ALPHABETS.length) break;
    for (const character of word) {
      if (lookalikeOf(character) !== undefined) continue;
      found.add(alphabetOf(character));
      break;
    }
  }
  return found;
}

/** A foreign letter of an alphabet that has look-alikes of ASCII. */
export const FOREIGN: RegExp =
  /[\u0250-\u02af\u0131\u0138\u0180-\u01ff\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u13a0-\u13f5\u1d00-\u1d7f\u2c80-\u2cff\ua4d0-\ua4fd\ua730-\ua7ff]/;

const WORDS: RegExp = /[\p{L}\p{M}\p{N}_]+/gu;

const ASCII_LETTER = /[A-Za-z]/;
const FOREIGN_WORDS = /[\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u13a0-\u13f5\u2c80-\u2cff\ua4d0-\ua4fd]+/g;
const ALPHABETS: readonly (readonly [string, RegExp])[] = [
  ["Greek", /[\u0370-\u03ff]/],
  ["Cyrillic", /[\u0400-\u052f]/],
  ["Armenian", /[\u0531-\u0587]/],
  ["Cherokee", /[\u13a0-\u13f5]/],
  ["Coptic", /[\u2c80-\u2cff]/],
  ["Lisu", /[\ua4d0-\ua4fd]/],
];

function alphabetOf(character: string): string {
  return ALPHABETS.find(([, range]) => range.test(character))?.[0] ?? "Latin";
}

const PLAIN_MARKS: ReadonlyMap<string, string> = new Map([
  ...[..."‘’‚‛′ʼ＇´"].map((mark): [string, string] => [mark, "'"]),
  ...[..."“”„‟″«»＂"].map((mark): [string, string] => [mark, '"']),
  ...[..."‐‑‒–—―−"].map((mark): [string, string] => [mark, "-"]),
  ...[..."\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"].map(
    (mark): [string, string] => [mark, " "],
  ),
  ["…", "..."],
]);
const TYPOGRAPHIC = /[‘’‚‛′ʼ＇´“”„‟″«»＂‐‑‒–—―−…\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

// White-on-black circled and squared letters, which NFKC leaves alone; single ones are symbols such as blood types.
const BADGE = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]{2}/u;
const BADGES = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu;

function badgeLetter(badge: string): string {
  const point = badge.codePointAt(0) ?? 0;
  return String.fromCharCode(65 + (point >= 0x1f170 ? point - 0x1f170 : point - 0x1f150));
}

const MARKED_LATIN = /[\u00c0-\u024f\u1e00-\u1eff]|[A-Za-z]\p{M}/u;
const LATIN_WITH_MARKS = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]\p{M}{0,64}/gu;
const MARKS = /\p{M}+/gu;

function replaceLetters(word: string, twinOf: (character: string) => string | undefined): string {
  let replaced = "";
  for (const character of word) replaced += twinOf(character) ?? character;
  return replaced;
}

/** Invisible characters: Unicode's default ignorables, the Braille blank and control characters that terminals swallow. */
const IGNORABLE: RegExp =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\p{Default_Ignorable_Code_Point}\u2800\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufff9-\ufffb]/u;

export const IGNORABLES: RegExp = new RegExp(IGNORABLE.source, "gu");

/** Whether a text is plain ASCII without control characters, which needs no other view. */
export function isPlain(text: string): boolean {
  return !UNPLAIN.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNPLAIN = /[^\t\n\r\f\u001b -~]/;

/**
 * How a reader sees a name: two names with the same skeleton are easily mistaken for each other.
 *
 * @example
 * nameSkeleton("Рdf_Tools"); // "pdf-tools", though its first letter is Cyrillic
 */
export function nameSkeleton(name: string): string {
  const plain = foldForms(name);
  const twinOf = /[A-Za-z]/.test(plain) ? standInOf : lookalikeOf;
  const letters = Array.from(plain, (character) => twinOf(character) ?? character).join("");
  return letters
    .toLowerCase()
    .replace(/[\s._-]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

export interface Homoglyph {
  readonly offset: number;
  readonly word: string;
  readonly looksLike: string;
}

/** Finds ASCII words that contain foreign letters, and words wholly of look-alikes in a text of another alphabet. */
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

/** Words with a foreign letter; a text that is mostly ASCII is not split into words for a few of them. */
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

// ASCII that is not a letter, digit or underscore.
function isBreak(text: string, at: number): boolean {
  return /[\0-/:-@[-^`{-\x7f]/.test(text.charAt(at));
}

const MAX_WORD_CHARACTERS = 200;
const MAX_HOMOGLYPHS = 50;

// Whether foreign letters hide among ASCII ones. `TNFα`, `μs` and `Δx` are science, `JSONом` is inflected. A
// disguise has a look-alike before an ASCII letter, in a word of ordinary letters, and no revealing letter.
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

function roleOf(
  character: string,
  before: string,
  after: string,
  alphabets: ReadonlySet<string>,
): "honest" | "hidden" | "neither" {
  const alphabet = alphabetOf(character);
  // Phonetic letters and dotless i are part of Latin orthographies.
  if (alphabet === "Latin") return "honest";
  const isInside = ASCII_LETTER.test(before) && ASCII_LETTER.test(after);
  // Less similar letters deceive only in the middle of a word.
  if (lookalikeOf(character) === undefined)
    return standInOf(character) !== undefined && alphabet !== "Greek" && isInside ? "hidden" : "honest";
  if (alphabet === "Greek") return isInside ? "hidden" : "neither";
  if (ASCII_LETTER.test(after)) return "hidden";
  return ASCII_LETTER.test(before) && !alphabets.has(alphabet) ? "hidden" : "neither";
}

export function lookalikeOf(character: string): string | undefined {
  return LOOKALIKES.get(character);
}

/** The ASCII letter that a foreign one stands for inside a word with ASCII letters, including less similar ones. */
function standInOf(character: string): string | undefined {
  return LOOKALIKES.get(character) ?? STAND_INS.get(character);
}

// Pairs of a foreign letter and its ASCII twin, without those that NFKC folds (full width, mathematical, circled).
const LOOKALIKES: ReadonlyMap<string, string> = pairs(
  // Cyrillic
  "аaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhӏlүyґrАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԌGԚQԜWҮYӀIԀdʟLѵvѴVкkԍG",
  // Greek
  "αaεeιiκkνvοoρpτtυuχxγyηnωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϲcϳjϹCͿJ",
  // Armenian, Cherokee, Georgian, Hebrew, Lisu, Coptic
  "օoսuհhոnցgյjզqԱUՕOՍUԼLᎪAᏴBᏟCᎠDᎬEᎻHᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᎳWᏃZᎥiꓮAꓐBꓚCꓓDꓰEꓝFꓖGꓧHꓲIꓙJꓗKꓡLꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZⲟoⲢPⲤC",
  // Latin letters of other alphabets
  "ɑaɡgıiɩiʏyɪIʀRɴNʙBɢGʜHᴀaᴄcᴅdᴇeᴊjᴋkᴍmᴏoᴘpᴛtᴜuᴠvᴡwᴢzꜰFꜱSʋvƅbցgⅼlⅰiⅴvⅹxⅽcⅾdⅿmℓlɭlʍwꞮIƖlǀlℯeℊgℴo",
);

const STAND_INS: ReadonlyMap<string, string> = pairs(
  "вbмmнhтtгrпnиuьbзzбbяrлlфfдdАAЗZПNИNГTφfσoβbμuπnδdζzξeλlθoΔAΛAΣEđdħhłløoŧtɓbɗdɛeɔcəeʌvßB",
);

function pairs(...tables: readonly string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (const table of tables) {
    const characters = [...table];
    for (let index = 0; index + 1 < characters.length; index += 2) {
      const [foreign, twin] = [characters[index], characters[index + 1]];
      if (foreign !== undefined && twin !== undefined && !map.has(foreign)) map.set(foreign, twin);
    }
  }
  return map;
}
