import type { SourceText } from "../text/source-text.ts";

interface EscapedSpan {
  readonly offset: number;
  readonly encoding: string;
  readonly text: string;
}

/** Finds letters that were written as `%63`, `&#99;`, `\x63`, `\u0063` or `\143`, and reads the whole line with them decoded. No one needs escapes for letters. */
export function* findEscapes(text: string): Iterable<EscapedSpan> {
  for (const { encoding, hints, run, one, decode } of ESCAPES) {
    if (!hints.some((hint) => text.includes(hint))) continue;
    let done = -1;
    for (const match of text.matchAll(run)) {
      if (match.index < done) continue;
      const letters = match[0].replace(one, decode).replace(/[^A-Za-z]/g, "").length;
      if (letters < MIN_LETTERS) continue;
      const start = Math.max(text.lastIndexOf("\n", match.index) + 1, match.index - MAX_CONTEXT_CHARACTERS);
      const next = text.indexOf("\n", match.index);
      const end = Math.min(
        next === -1 ? text.length : next,
        match.index + match[0].length + MAX_CONTEXT_CHARACTERS,
      );
      done = end;
      yield { offset: match.index, encoding, text: text.slice(start, end).replace(one, decode) };
    }
  }
}

const MIN_LETTERS = 4;
const MAX_CONTEXT_CHARACTERS = 2_000;

interface Escape {
  readonly encoding: string;
  /** Of which every such escape has one, for a quick look. */
  readonly hints: readonly string[];
  readonly run: RegExp;
  readonly one: RegExp;
  readonly decode: (written: string) => string;
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

const ESCAPES: readonly Escape[] = [
  {
    encoding: "percent encoding",
    hints: ["%2", "%3", "%4", "%5", "%6", "%7"],
    run: /(?:%[2-7][0-9a-f][^\s%]{0,2}){4,}/gi,
    one: /%[2-7][0-9a-f]/gi,
    decode: (written) => characterOf(Number.parseInt(written.slice(1), 16)),
  },
  {
    encoding: "HTML entities",
    hints: ["&#"],
    run: /(?:&#(?:x[0-9a-f]{2,5}|\d{2,6});?[^\s&]{0,2}){4,}/gi,
    one: /&#(?:x[0-9a-f]{2,5}|\d{2,6});?/gi,
    decode: (written) => {
      const digits = written.slice(2).replace(";", "");
      return characterOf(/^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits));
    },
  },
  {
    encoding: "hexadecimal escapes",
    hints: ["\\x"],
    run: /(?:\\{1,2}x[0-9a-f]{2}[^\s\\]{0,2}){4,}/gi,
    one: /\\{1,2}x[0-9a-f]{2}/gi,
    decode: (written) => characterOf(Number.parseInt(written.slice(-2), 16)),
  },
  {
    encoding: "unicode escapes",
    hints: ["\\u"],
    run: /(?:\\{1,2}u(?:00[2-7][0-9a-f]|\{[2-7][0-9a-f]\})[^\s\\]{0,2}){4,}/gi,
    one: /\\{1,2}u(?:00[2-7][0-9a-f]|\{[2-7][0-9a-f]\})/gi,
    decode: (written) => characterOf(Number.parseInt(written.replace(/[\\u{}]/g, ""), 16)),
  },
  {
    encoding: "octal escapes",
    hints: ["\\0", "\\1"],
    run: /(?:\\{1,2}0?[01][0-7]{2}[^\s\\]{0,2}){4,}/g,
    one: /\\{1,2}0?[01][0-7]{2}/g,
    decode: (written) => characterOf(Number.parseInt(written.replace(/\\/g, ""), 8)),
  },
];

interface JoinedStrings {
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
