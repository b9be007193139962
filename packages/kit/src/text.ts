/** The first UTF-16 units of a text, up to a maximum, without half a character at the end. */
export function cutText(text: string, maxCharacters: number): string {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, isHalf && text.length > maxCharacters ? maxCharacters - 1 : maxCharacters);
}

/** The first items of a list, and how many more there are: `a, b and 3 more`. */
export function listFirst(texts: readonly string[], most: number, separator = ", "): string {
  const rest = texts.length - most;
  return `${texts.slice(0, most).join(separator)}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/**
 * The one definition of hidden characters, as part of a character class; needs the flag `u`.
 *
 * Controls, private and invisible characters, line separators, and everything that Unicode lets a renderer
 * ignore: fillers, and the selectors and tags in which any text can be written invisibly.
 */
export const HIDDEN: string = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;

/** Removes what a reader would not see; line ends, tabs and joiners that shape visible characters stay. */
export function removeHidden(text: string): string {
  if (PLAIN_LINES.test(text)) return text;
  return text.replace(hiddenPattern(), "");
}

export function hasHidden(text: string): boolean {
  return text.search(hiddenPattern()) !== -1;
}

// Characters of one code unit that are visible and stand alone: Latin, Greek, Cyrillic, punctuation, arrows,
// mathematics, boxes, kana and Han. All others take the slow path.
const PLAIN_CHARACTERS: string = [
  String.raw`\x20-\x7E\u00A1-\u00AC\u00AE-\u02FF\u0370-\u0377\u037A-\u037F\u0384-\u03FF\u0400-\u0481\u048A-\u052F\u2010-\u2027\u2030-\u205E\u20A0-\u20BF`,
  String.raw`\u2190-\u22FF\u2460-\u25FA\u3001-\u3029\u3041-\u3096\u309B-\u30FF\u4E00-\u9FFF\uFF01-\uFF60`,
].join("");

const PLAIN = new RegExp(`^[${PLAIN_CHARACTERS}]*$`);
const PLAIN_LINES = new RegExp(`^[${PLAIN_CHARACTERS}\\n\\t]*$`);

/**
 * Whether every character of a text is visible and stands alone; line ends and tabs do not count.
 *
 * Most text qualifies, and making the patterns and segmenter for the rest takes longer than finding 50
 * skills.
 */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

// Compiled on first use: Unicode properties are slow to build.
let pattern: RegExp | undefined;

function hiddenPattern(): RegExp {
  pattern ??= new RegExp(`(?![\\n\\t]|${JOINER}|${EMOJI_STYLE})[${HIDDEN}]`, "gu");
  return pattern;
}

// Emoji and some scripts need single joiners after visible characters. A run of joiners is a code.
const JOINER = String.raw`(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier}|(?!\p{Default_Ignorable_Code_Point})[\p{M}\p{Script=Arabic}])[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;

/** Longer names are cut before a model or a user reads them. */
const MAX_SHOWN_CHARACTERS = 256;

/** Keeps a name, which may come from a skill, from adding lines, tags or invisible text to a message. */
export function showName(name: string): string {
  if (/^[\w.:/-]{1,256}$/.test(name)) return name;
  plain ??= new RegExp(`^(?:(?![${HIDDEN}])[\\p{L}\\p{M}\\p{N}_.:/-])+$`, "u");
  return name.length <= MAX_SHOWN_CHARACTERS && plain.test(name) ? name : quoteName(name);
}

export function quoteName(name: string): string {
  // JSON does not escape these.
  unsafe ??= new RegExp(`[<>\`]|(?! )[${HIDDEN}\\p{Z}]`, "gu");
  const shown = name.length > MAX_SHOWN_CHARACTERS ? `${cutText(name, MAX_SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replace(unsafe, escapeUnits);
}

/** Keeps a sentence for a model on one line: escapes what would end the line, hide or open a tag. */
export function showLine(sentence: string): string {
  if (/^[ -;=?-~]*$/.test(sentence)) return sentence;
  unfit ??= new RegExp(`[<>]|(?! )[${HIDDEN}\\p{Z}]`, "gu");
  return sentence.replace(unfit, escapeUnits);
}

// Compiled on first use: Unicode properties are slow to build.
let plain: RegExp | undefined;
let unsafe: RegExp | undefined;
let unfit: RegExp | undefined;

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Quotes one word for a POSIX shell. The caller refuses NUL, which no process argument can contain. */
export function quoteShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The same, without quotes if the word needs none. */
export function shellArgument(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoteShell(word);
}
