import { isPlainText, plainWidth } from "./plain-text.ts";

/** How many terminal columns a text takes; expects text without control characters. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  if (isPlainText(text)) {
    for (let index = 0; index < text.length; index += 1) width += plainWidth(text.charCodeAt(index));
    return width;
  }
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** One user-perceived character and where it starts. */
export interface Grapheme {
  readonly segment: string;
  readonly index: number;
}

/** The user-perceived characters of a text, none wider than two columns, computed as they are asked for. */
export function graphemes(text: string): Iterable<Grapheme> {
  return isPlainText(text) ? characters(text) : clusters(text);
}

/** The columns of one user-perceived character: emoji count two, marks none, East Asian wide ones two. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && isPlainText(grapheme)) return plainWidth(grapheme.charCodeAt(0));
  return codePointsWidth(grapheme);
}

/** The long way: by Unicode properties, code point by code point. */
export function codePointsWidth(grapheme: string): number {
  if (EMOJI_CLUSTER.test(grapheme)) return 2;
  let width = 0;
  // Terminals that know no clusters add up code points, so the sum is the safe answer.
  for (const character of grapheme) width += codePointWidth(character.codePointAt(0) ?? 0, character);
  return width;
}

const ASCII = /^[\x20-\x7E]*$/;
const EMOJI_CLUSTER = /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}{2})/u;
const ZERO_WIDTH = /^(?:\p{Mn}|\p{Me}|\p{Cc}|\p{Default_Ignorable_Code_Point})$/u;

let segmenter: Intl.Segmenter | undefined;

function* characters(text: string): Generator<Grapheme> {
  for (let index = 0; index < text.length; index += 1) yield { segment: text.charAt(index), index };
}

function* clusters(text: string): Generator<Grapheme> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment, index } of segmenter.segment(text)) {
    if (graphemeWidth(segment) <= 2) yield { segment, index };
    else yield* codePoints(segment, index);
  }
}

// Some scripts join letters without end; what is wider than the screen has to be broken somewhere.
function* codePoints(cluster: string, start: number): Generator<Grapheme> {
  let index = start;
  for (const segment of cluster) {
    yield { segment, index };
    index += segment.length;
  }
}

function codePointWidth(codePoint: number, character: string): number {
  if (codePoint < 0x300) return codePoint === 0xad ? 0 : 1;
  // Vowels and finals of Hangul join the syllable before them.
  if (codePoint >= 0x1160 && codePoint <= 0x11ff) return 0;
  if (ZERO_WIDTH.test(character)) return 0;
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
