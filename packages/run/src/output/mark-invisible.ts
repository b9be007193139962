// As on the screens of the command line: characters that turn the direction of writing or have no shape of their own
// make one text look like another, or hide one from the person who reads along with a model.
const MARK = "\uFFFD";

// Emoji and the scripts that need joiners keep them.
const JOINER = String.raw`(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;
const INVISIBLE = String.raw`[\p{Default_Ignorable_Code_Point}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]`;

// Made when first needed: Unicode properties are slow to build, and most output is plain.
let pattern: RegExp | undefined;

/** Puts a mark in place of characters that would not be seen. */
export function markInvisible(text: string): string {
  pattern ??= new RegExp(`(?:(?!${JOINER})(?!${EMOJI_STYLE})${INVISIBLE})+`, "gu");
  return text.replace(pattern, MARK);
}
