import type { SourceText } from "../text/source-text.ts";

/** Quoted pieces that a program puts together, as the one text that they are. */
export interface JoinedStrings {
  readonly offset: number;
  readonly text: string;
  readonly pieces: number;
}

/** Finds words that were taken apart into quoted pieces: `"cu" + "rl"`, or a list joined by nothing. Pieces that end at a blank are ordinary long strings. */
export function* findJoinedStrings({ text, language }: SourceText): Iterable<JoinedStrings> {
  const isProse = language === "markdown" || language === "text" || language === "html";
  if ((isProse ? SUM : CHAIN).test(text))
    for (const match of text.matchAll(isProse ? SUMS : CHAINS)) yield* joined(match);
  if (!JOINING.test(text)) return;
  for (const match of text.matchAll(LISTS)) {
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 40);
    const before = text.slice(Math.max(0, match.index - 40), match.index);
    if (JOINED_AFTER.test(after) || JOINED_BEFORE.test(before)) yield* joined(match);
  }
}

// Quick looks, from which most texts come back with nothing.
const SUM = /["']\s{0,40}\+\s{0,40}["']/;
const CHAIN = /["']\s{0,40}(?:\+|\.{1,2}|&|<>)\s{0,40}["']/;
const JOINING = /join|reduce|implode|concat/i;
const SUMS = /(["'])[^"'\\\n]{0,200}\1(?:\s{0,40}\+\s{0,40}(["'])[^"'\\\n]{0,200}\2){1,2000}/g;
const CHAINS =
  /(["'])[^"'\\\n]{0,200}\1(?:\s{0,40}(?:\+|\.{1,2}|&|<>)\s{0,40}(["'])[^"'\\\n]{0,200}\2){1,2000}/g;
const LISTS = /(["'])[^"'\\\n]{0,200}\1(?:\s{0,40},\s{0,40}(["'])[^"'\\\n]{0,200}\2){1,2000}/g;
const PIECE = /(["'])[^"'\\\n]{0,200}\1/g;
const JOINED_AFTER =
  /^\s{0,8},?\s{0,8}[\])}]{0,2}\s{0,8}(?:\.\s{0,8}join\s{0,8}\(\s{0,8}(?:""|'')|\.reduce|-join\s{0,8}(?:""|''))/;
const JOINED_BEFORE =
  /(?:(?:""|'')\s{0,8}\.\s{0,8}join|implode\s{0,8}\(\s{0,8}(?:""|'')\s{0,8},|concat|-join)\s{0,8}[([]{0,2}\s{0,8}(?:array\s{0,8}\()?[([]?\s{0,8}$/i;

function* joined(match: RegExpMatchArray): Iterable<JoinedStrings> {
  const pieces = (match[0].match(PIECE) ?? []).map((piece) => piece.slice(1, -1));
  if (pieces.some((piece, index) => index > 0 && isSplit(pieces[index - 1] ?? "", piece)))
    yield { offset: match.index ?? 0, text: pieces.join(""), pieces: pieces.length };
}

function isSplit(left: string, right: string): boolean {
  return /[A-Za-z0-9]$/.test(left) && /^[A-Za-z0-9]/.test(right);
}
