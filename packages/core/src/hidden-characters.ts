/**
 * The one definition of characters that hide, as part of a character class; needs the flag `u`.
 *
 * Controls, private and invisible characters, the separators that end a line, and everything that Unicode lets a reader
 * ignore: fillers, and the selectors and tags in which any text can be written that nobody sees.
 */
export const HIDDEN: string = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;

/** A text without what a reader would not see; line ends, tabs and joiners that shape what is seen stay. */
export function removeHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  pattern ??= createPattern();
  return text.replace(pattern, "");
}

/** Whether a text holds anything that a reader would not see: whether `removeHidden` would change it. */
export function hasHidden(text: string): boolean {
  pattern ??= createPattern();
  return text.search(pattern) !== -1;
}

// Most texts are, and catalogues ask about thousands of them.
const PLAIN = /^[\x20-\x7e\n\t]*$/;

// Made when first needed: Unicode properties are slow to build.
let pattern: RegExp | undefined;

function createPattern(): RegExp {
  return new RegExp(`(?![\\n\\t]|${JOINER}|${EMOJI_STYLE})[${HIDDEN}]`, "gu");
}

// Emoji and some scripts are written with joiners: one, behind something that is seen itself. A run of them is a code.
const JOINER = String.raw`(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier}|(?!\p{Default_Ignorable_Code_Point})[\p{M}\p{Script=Arabic}])[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;
