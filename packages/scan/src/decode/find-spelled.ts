import { rotate13 } from "@skillet/shell";
import type { SourceText } from "../text/source-text.ts";

interface SpelledText {
  readonly offset: number;
  readonly encoding: string;
  readonly text: string;
}

/** Finds letters written as escapes, strings near a ROT13 decoder and words split into several strings. */
export function* findSpelled(source: SourceText): Iterable<SpelledText> {
  yield* findEscapes(source.text);
  yield* findRotated(source.text);
  yield* findJoinedStrings(source);
}

/** Reads the whole line around letters that were written as `%63`, `&#99;`, `\\x63`, `\\u0063` or `\\143`. No one needs escapes for letters. */
function* findEscapes(text: string): Iterable<SpelledText> {
  for (const { encoding, hint, one, run, radix } of ESCAPES) {
    if (!hint.test(text)) continue;
    const decode = (written: string): string => {
      const digits = /[0-9a-f]+(?=[;}]?$)/i.exec(written)?.[0] ?? "";
      const code = Number.parseInt(digits, /x/i.test(written) ? 16 : radix);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    };
    let done = -1;
    for (const match of text.matchAll(run)) {
      if (match.index < done) continue;
      const letters = match[0].replace(one, decode).replace(/[^A-Za-z]/g, "").length;
      if (letters < MIN_LETTERS) continue;
      const start = Math.max(text.lastIndexOf("\n", match.index) + 1, match.index - MAX_CONTEXT_CHARACTERS);
      const next = text.indexOf("\n", match.index);
      done = Math.min(
        next === -1 ? text.length : next,
        match.index + match[0].length + MAX_CONTEXT_CHARACTERS,
      );
      yield { offset: match.index, encoding, text: text.slice(start, done).replace(one, decode) };
    }
  }
}

const MIN_LETTERS = 4;
const MAX_CONTEXT_CHARACTERS = 2_000;
/** The hint is a fast check: every such escape matches it. */
const ESCAPES = [
  escapes("percent encoding", /%[2-7]/, 16, "%[2-7][0-9a-f]", "%"),
  escapes("HTML entities", /&#/, 10, "&#(?:x[0-9a-f]{2,5}|\\d{2,6});?", "&"),
  escapes("hexadecimal escapes", /\\x/i, 16, "\\\\{1,2}x[0-9a-f]{2}"),
  escapes("unicode escapes", /\\u/i, 16, "\\\\{1,2}u(?:00[2-7][0-9a-f]|\\{[2-7][0-9a-f]\\})"),
  escapes("octal escapes", /\\[01]/, 8, "\\\\{1,2}0?[01][0-7]{2}"),
];

/** A run is four escapes, with at most two plain characters after each. */
function escapes(encoding: string, hint: RegExp, radix: number, one: string, sign = "\\\\") {
  const run = new RegExp(`(?:${one}[^\\s${sign}]{0,2}){4,}`, "gi");
  return { encoding, hint, radix, one: new RegExp(one, "gi"), run };
}

/** Reads quoted strings near the name of a ROT13 decoder; nothing else tells a rotated word from a foreign one. */
function* findRotated(text: string): Iterable<SpelledText> {
  let done = -1;
  for (const match of text.matchAll(DECODER)) {
    const start = Math.max(0, match.index - REACH_CHARACTERS, done);
    done = Math.min(text.length, match.index + REACH_CHARACTERS);
    for (const quoted of text.slice(start, done).matchAll(QUOTED)) {
      const body = quoted[2] ?? "";
      if (!/[A-Za-z]{3}/.test(body) || TABLE.test(body)) continue;
      yield { offset: start + quoted.index, encoding: "rot13", text: rotate13(body) };
    }
  }
}

const DECODER =
  /[rR][oO][tT][_-]?13|[nN]-[zZ][aA]-[mM]|nopqrstuvwxyzabcdefghijklm|NOPQRSTUVWXYZABCDEFGHIJKLM/g;
const TABLE = /n-za-m|nopqrstuvwxyz|^rot/i;
const QUOTED = /(["'`])([^"'`\n]{8,20000})\1/g;
const REACH_CHARACTERS = 1_000;

/** Finds words split into quoted pieces: `"cu" + "rl"`, or a list joined without a separator. Pieces that end at a space are ordinary long strings. */
function* findJoinedStrings({ text, language }: SourceText): Iterable<SpelledText> {
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

// Fast checks that rule out most texts.
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

function* joined(match: RegExpMatchArray): Iterable<SpelledText> {
  const pieces = (match[0].match(PIECE) ?? []).map((piece) => piece.slice(1, -1));
  const text = pieces.join("");
  const isSplit = pieces.some(
    (piece, index) => /^[A-Za-z0-9]/.test(piece) && /[A-Za-z0-9]$/.test(pieces[index - 1] ?? ""),
  );
  if (isSplit && text.length >= MIN_JOINED_CHARACTERS)
    yield { offset: match.index ?? 0, encoding: `${pieces.length} strings joined`, text };
}

const MIN_JOINED_CHARACTERS = 6;
