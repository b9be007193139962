import { isPlainText } from "./plain-text.ts";
import { CONTROL, INVISIBLE } from "./unseen-characters.ts";

// A skill's text goes to terminals. Escape sequences would move the cursor, set titles or write to the
// clipboard; bidirectional and zero-width characters make one name look like another. Nothing is dropped
// silently: what the model reads and the person would not see is shown as a mark.
const MARK = "\uFFFD";

// Emoji and the scripts that need joiners keep them; anywhere else they only hide differences.
const JOINER_CONTEXT = String.raw`(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])`;
const JOINER = String.raw`${JOINER_CONTEXT}[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;
const MAX_MARKS = 8;

// Made when first needed: Unicode properties make these slow to build, and most text is plain.
let patterns: ReturnType<typeof createPatterns> | undefined;

function createPatterns() {
  return {
    invisible: new RegExp(`(?:(?!${JOINER})(?!${EMOJI_STYLE})[${INVISIBLE}])+`, "gu"),
    control: new RegExp(`[${CONTROL}]`, "g"),
    stackedMarks: new RegExp(String.raw`(\p{M}{${MAX_MARKS}})\p{M}+`, "gu"),
  };
}

/**
 * Makes text from outside safe to print as one line: white space collapsed, control characters made visible.
 *
 * @example
 * stripControl("pdf\u001b]0;owned\u0007"); // "pdf␛]0;owned␇"
 */
export function stripControl(text: string): string {
  const visible = isPlainText(text) ? text : makeVisible(text, " ");
  return visible.replace(/\s+/g, " ").trim();
}

/** Makes one line of a file safe to print while every character keeps a place, so that a caret can point at it. */
export function showControl(line: string): string {
  return isPlainText(line) ? line : makeVisible(line, "→   ");
}

/** Puts a mark or a picture in place of what would not be seen, or would act. */
export function makeVisible(text: string, tab: string): string {
  patterns ??= createPatterns();
  return text
    .replace(/\p{Surrogate}/gu, MARK)
    .replace(patterns.invisible, MARK)
    .replace(patterns.control, (character) => picture(character, tab))
    .replace(patterns.stackedMarks, "$1");
}

function picture(character: string, tab: string): string {
  const code = character.charCodeAt(0);
  if (character === "\t") return tab;
  if ((code >= 0x0a && code <= 0x0d) || code === 0x85 || code > 0x9f) return " ";
  if (code === 0x7f) return "␡";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : MARK;
}
