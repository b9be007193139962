// A skill's text goes to terminals. Escape sequences would move the cursor, set titles or write to the
// clipboard; bidirectional and zero-width characters make one name look like another. Nothing is dropped
// silently: what the model reads and the person would not see is shown as a mark.
const MARK = "\uFFFD";

// Emoji and the scripts that need joiners keep them; anywhere else they only hide differences.
const JOINER_CONTEXT = String.raw`(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])`;
const JOINER = String.raw`${JOINER_CONTEXT}[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;
const INVISIBLE = new RegExp(
  String.raw`(?:(?!${JOINER})(?!${EMOJI_STYLE})[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB])+`,
  "gu",
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
const CONTROL = /[\0-\x1F\x7F-\x9F\u2028\u2029]/g;
const UNSAFE = /[^\x20-\x7E]/;
const MAX_MARKS = 8;
const STACKED_MARKS = new RegExp(String.raw`(\p{M}{${MAX_MARKS}})\p{M}+`, "gu");

/**
 * Makes text from outside safe to print as one line: white space collapsed, control characters made visible.
 *
 * @example
 * stripControl("pdf\u001b]0;owned\u0007"); // "pdf␛]0;owned␇"
 */
export function stripControl(text: string): string {
  const visible = UNSAFE.test(text) ? makeVisible(text, " ") : text;
  return visible.replace(/\s+/g, " ").trim();
}

/** Makes one line of a file safe to print while every character keeps a place, so that a caret can point at it. */
export function showControl(line: string): string {
  return UNSAFE.test(line) ? makeVisible(line, "→   ") : line;
}

function makeVisible(text: string, tab: string): string {
  return text
    .replace(/\p{Surrogate}/gu, MARK)
    .replace(INVISIBLE, MARK)
    .replace(CONTROL, (character) => picture(character, tab))
    .replace(STACKED_MARKS, "$1");
}

function picture(character: string, tab: string): string {
  const code = character.charCodeAt(0);
  if (character === "\t") return tab;
  if ((code >= 0x0a && code <= 0x0d) || code === 0x85 || code > 0x9f) return " ";
  if (code === 0x7f) return "␡";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : MARK;
}
