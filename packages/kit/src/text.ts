/** The beginning of a text, at most so many UTF-16 units, that ends with no half of a character. */
export function cutText(text: string, maxCharacters: number): string {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, isHalf && text.length > maxCharacters ? maxCharacters - 1 : maxCharacters);
}

/** The first of a list, and how many more there are: `a, b and 3 more`. */
export function listFirst(texts: readonly string[], most: number, separator = ", "): string {
  const rest = texts.length - most;
  return `${texts.slice(0, most).join(separator)}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/**
 * The one definition of characters that hide, as part of a character class; needs the flag `u`.
 *
 * Controls, private and invisible characters, the separators that end a line, and everything that Unicode lets a reader
 * ignore: fillers, and the selectors and tags in which any text can be written invisibly.
 */
export const HIDDEN: string = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;

/** A text without what a reader would not see; line ends, tabs and joiners that shape what is seen stay. */
export function removeHidden(text: string): string {
  if (PLAIN_LINES.test(text)) return text;
  return text.replace(hiddenPattern(), "");
}

export function hasHidden(text: string): boolean {
  return text.search(hiddenPattern()) !== -1;
}

// One code unit, one user-perceived character, nothing invisible: Latin, Greek, Cyrillic, punctuation, arrows,
// mathematics and boxes, kana and Han. Everything else takes the long way.
const PLAIN_CHARACTERS: string = [
  String.raw`\x20-\x7E\u00A1-\u00AC\u00AE-\u02FF\u0370-\u0377\u037A-\u037F\u0384-\u03FF\u0400-\u0481\u048A-\u052F\u2010-\u2027\u2030-\u205E\u20A0-\u20BF`,
  String.raw`\u2190-\u22FF\u2460-\u25FA\u3001-\u3029\u3041-\u3096\u309B-\u30FF\u4E00-\u9FFF\uFF01-\uFF60`,
].join("");

const PLAIN = new RegExp(`^[${PLAIN_CHARACTERS}]*$`);
const PLAIN_LINES = new RegExp(`^[${PLAIN_CHARACTERS}\\n\\t]*$`);

/**
 * Whether every character of a text stands for itself; line ends and tabs do not.
 *
 * Most text does, and the patterns and the segmenter for the rest take longer to make than finding 50 skills.
 */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

// Made when first needed: Unicode properties are slow to build.
let pattern: RegExp | undefined;

function hiddenPattern(): RegExp {
  pattern ??= new RegExp(`(?![\\n\\t]|${JOINER}|${EMOJI_STYLE})[${HIDDEN}]`, "gu");
  return pattern;
}

// Emoji and some scripts are written with joiners: one, after a character that is seen itself. A run of them is a code.
const JOINER = String.raw`(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier}|(?!\p{Default_Ignorable_Code_Point})[\p{M}\p{Script=Arabic}])[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;

/** Longer names are cut where a model or a person reads them. */
const MAX_SHOWN_CHARACTERS = 256;

/** Names come from skills and callers: none may add lines, tags or invisible text to a message. */
export function showName(name: string): string {
  if (/^[\w.:/-]{1,256}$/.test(name)) return name;
  plain ??= new RegExp(`^(?:(?![${HIDDEN}])[\\p{L}\\p{M}\\p{N}_.:/-])+$`, "u");
  return name.length <= MAX_SHOWN_CHARACTERS && plain.test(name) ? name : quoteName(name);
}

export function quoteName(name: string): string {
  // JSON leaves these as they are.
  unsafe ??= new RegExp(`[<>\`]|(?! )[${HIDDEN}\\p{Z}]`, "gu");
  const shown = name.length > MAX_SHOWN_CHARACTERS ? `${cutText(name, MAX_SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replace(unsafe, escapeUnits);
}

/** A sentence for a model on one line, whatever it is made of: what would end the line, hide or open a tag is escaped. */
export function showLine(sentence: string): string {
  if (/^[ -;=?-~]*$/.test(sentence)) return sentence;
  unfit ??= new RegExp(`[<>]|(?! )[${HIDDEN}\\p{Z}]`, "gu");
  return sentence.replace(unfit, escapeUnits);
}

// Made when first needed: Unicode properties are slow to build.
let plain: RegExp | undefined;
let unsafe: RegExp | undefined;
let unfit: RegExp | undefined;

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Quotes one word for a POSIX shell. The caller refuses NUL, which no argument of a process can hold. */
export function quoteShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The same, without quotes around a word that needs none. */
export function shellArgument(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoteShell(word);
}
