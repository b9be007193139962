import { isPlainText } from "@skillet/kit/text";
import type { Terminal } from "./terminal.ts";

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

const FIRST_WIDE = 0x3001;

/** The columns of one character of a plain text. */
export function plainWidth(codeUnit: number): number {
  return codeUnit < FIRST_WIDE ? 1 : 2;
}

// The one definition of what is not seen, or acts, when it is shown. Parts of character classes: which of them apply
// differs by place, because emoji and some scripts need invisible joiners on the screen, but not in a document.

/** Codes that a terminal obeys, and separators that end a line. */
export const CONTROL: string = String.raw`\0-\x1F\x7F-\x9F\u2028\u2029`;

/** Marks, embeddings, overrides and isolates that turn the direction of writing. */
export const DIRECTION: string = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;

/**
 * Characters without a shape of their own, those for the direction among them; needs the flag `u`.
 *
 * Unicode's Default_Ignorable_Code_Point and the marks of interlinear notes, written out: a pattern with a property
 * takes longer to make than finding 50 skills.
 */
export const INVISIBLE: string = [
  String.raw`\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164`,
  String.raw`\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}`,
].join("");

/**
 * Prints a text that is meant for a model: byte for byte where a program or a file gets it.
 *
 * On a terminal it would act: there, everything that acts or cannot be seen is made visible.
 */
export function printText(terminal: Terminal, text: string): void {
  if (!terminal.isTerminal) {
    terminal.printRaw(text);
    return;
  }
  if (text === "") return;
  // The prompt that follows must begin on a line of its own.
  const lines = text.replace(/\n$/, "").split("\n");
  for (const line of lines) terminal.print(showControl(line));
}
