import { isPlainText } from "@skillet/kit/text";
import { plainWidth } from "./strip-control.ts";

const ELLIPSIS = "…";

/** Cuts a text to so many columns, between user-perceived characters, with an ellipsis where something is gone. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return "";
  if (ASCII.test(text))
    return text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}${ELLIPSIS}`;
  let used = 0;
  let keep = 0;
  for (const { segment, index, columns } of graphemes(text)) {
    used += columns;
    if (used > width) return `${text.slice(0, keep).trimEnd()}${ELLIPSIS}`;
    if (used < width) keep = index + segment.length;
  }
  return text;
}

/** Cuts a text to so many columns from its start, because the end of a path says more than its beginning. */
export function truncateStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const parts = [...graphemes(text)];
  let used = 1;
  let start = text.length;
  for (const { index, columns } of parts.reverse()) {
    used += columns;
    if (used > width) break;
    start = index;
  }
  return width <= 0 ? "" : `${ELLIPSIS}${text.slice(start)}`;
}

/**
 * Breaks a text into lines of at most so many columns; with `maxLines`, the last line says when there is more.
 *
 * A word that is longer than a line is mostly a path or a name: it is broken behind a slash, else behind a hyphen, and
 * only else anywhere.
 */
export function wrap(
  text: string,
  options: { readonly width: number; readonly maxLines?: number },
): string[] {
  const width = Math.max(2, options.width);
  if (displayWidth(text) <= width) return text.trimEnd() === "" ? [] : [text.trimEnd()];
  const maxLines = options.maxLines ?? Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  let start = 0;
  let used = 0;
  let word: Break = { index: 0, used: 0 };
  let [slash, hyphen] = [word, word];
  // One pass over the text: descriptions may be as long as a file may be.
  for (const { segment, index, columns } of graphemes(text)) {
    if (segment === " ") word = { index: index + 1, used: used + 1 };
    // More than once where a wide character follows what was carried over.
    while (segment !== " " && used + columns > width) {
      if (lines.length + 1 >= maxLines)
        return [...lines, truncateAtWord(text.slice(start).trimStart(), width)];
      const end = [word, slash, hyphen].find((place) => place.index > start) ?? { index, used };
      lines.push(text.slice(start, end.index).trimEnd());
      [slash, hyphen] = [moveLeft(slash, end), moveLeft(hyphen, end)];
      used -= end.used;
      start = end.index;
    }
    used += columns;
    if (segment === "/") slash = { index: index + 1, used };
    else if (segment === "-") hyphen = { index: index + 1, used };
  }
  const last = text.slice(start).trimEnd();
  return last === "" ? lines : [...lines, last];
}

/** Where a line may end, and how many columns of it lie before that. */
interface Break {
  readonly index: number;
  readonly used: number;
}

function moveLeft(place: Break, end: Break): Break {
  return { index: place.index, used: place.used - end.used };
}

/** Fills a text with spaces up to so many columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

// A half word at the end of a paragraph is harder to read than a shorter line, unless the word is very long.
function truncateAtWord(text: string, width: number): string {
  const cut = truncate(text, width);
  const kept = cut.length - ELLIPSIS.length;
  const space = cut.lastIndexOf(" ");
  const insideWord = text.charAt(kept) !== " ";
  return insideWord && space > kept / 2 ? `${cut.slice(0, space).trimEnd()}${ELLIPSIS}` : cut;
}

/** How many terminal columns a text takes; expects text without control characters. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  if (isPlainText(text)) {
    for (let index = 0; index < text.length; index += 1) width += plainWidth(text.charCodeAt(index));
    return width;
  }
  for (const { columns } of clusters(text)) width += columns;
  return width;
}

/** One user-perceived character, where it starts and how many columns it takes. */
interface Grapheme {
  readonly segment: string;
  readonly index: number;
  readonly columns: number;
}

/** The user-perceived characters of a text, none wider than two columns, computed as they are asked for. */
function graphemes(text: string): Iterable<Grapheme> {
  return isPlainText(text) ? characters(text) : clusters(text);
}

/** The columns of one user-perceived character: emoji count two, marks none, East Asian wide ones two. */
export function codePointsWidth(grapheme: string): number {
  if (/^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}{2})/u.test(grapheme)) return 2;
  let width = 0;
  // Terminals that know no clusters add up code points, so the sum is the safe answer.
  for (const character of grapheme) width += codePointWidth(character.codePointAt(0) ?? 0, character);
  return width;
}

const ASCII = /^[\x20-\x7E]*$/;

let segmenter: Intl.Segmenter | undefined;

function* characters(text: string): Generator<Grapheme> {
  for (let index = 0; index < text.length; index += 1)
    yield { segment: text.charAt(index), index, columns: plainWidth(text.charCodeAt(index)) };
}

function* clusters(text: string): Generator<Grapheme> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment, index } of segmenter.segment(text)) {
    const columns = codePointsWidth(segment);
    if (columns <= 2) yield { segment, index, columns };
    else yield* codePoints(segment, index);
  }
}

// Some scripts join letters without end; what is wider than the screen has to be broken somewhere.
function* codePoints(cluster: string, start: number): Generator<Grapheme> {
  let index = start;
  for (const segment of cluster) {
    yield { segment, index, columns: codePointsWidth(segment) };
    index += segment.length;
  }
}

function codePointWidth(codePoint: number, character: string): number {
  if (codePoint < 0x300) return codePoint === 0xad ? 0 : 1;
  // Vowels and finals of Hangul join the syllable before them.
  if (codePoint >= 0x1160 && codePoint <= 0x11ff) return 0;
  if (/^(?:\p{Mn}|\p{Me}|\p{Cc}|\p{Default_Ignorable_Code_Point})$/u.test(character)) return 0;
  return isWide(codePoint) ? 2 : 1;
}

function isWide(codePoint: number): boolean {
  return WIDE.some(([first, last]) => codePoint >= first && codePoint <= last);
}

// East_Asian_Width W and F (Unicode 16), neighbouring blocks joined; emoji are told by their own property above.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];
