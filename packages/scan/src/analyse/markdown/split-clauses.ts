import type { InlineSpan } from "./read-inlines.ts";

/**
 * Splits visible prose into clauses: at the ends of sentences (also Chinese and Japanese ones), at semicolons and at line
 * breaks after a colon. Nothing is split inside `whole` spans, such as code and addresses.
 */
export function splitClauses(text: string, whole: readonly InlineSpan[]): readonly InlineSpan[] {
  const clauses: InlineSpan[] = [];
  let start = 0;
  let wholeIndex = 0;
  STOP.lastIndex = 0;
  for (let match = STOP.exec(text); match !== null; match = STOP.exec(text)) {
    const at = match.index;
    while (wholeIndex < whole.length && (whole[wholeIndex]?.to ?? 0) <= at) wholeIndex++;
    if ((whole[wholeIndex]?.from ?? Number.POSITIVE_INFINITY) <= at) continue;
    const end = at + match[0].length;
    const isBehindCode = whole[wholeIndex - 1]?.to === at;
    if (!isBehindCode && !isStop(text, at, end)) continue;
    add(clauses, text, { from: start, to: end });
    start = end;
  }
  add(clauses, text, { from: start, to: text.length });
  return clauses;
}

const STOP =
  /[.!?]{1,3}["'”’»)\]]{0,3}(?=\s|$)|[。！？；…]["'”’»」』）]{0,3}|;(?=\s)|[:：][ \t]{0,80}\n|\n[ \t]{0,80}\n/g;
const ABBREVIATION =
  /(?:^|[\s(])(?:[eE]\.g|[iI]\.e|etc|vs|cf|approx|Mr|Mrs|Dr|St|[Ff]ig|[Ss]ec|[A-Z]|\d{1,3})$/;

/** Longer ones are cut, with an overlap in which any phrase fits. */
const MAX_CLAUSE_CHARACTERS = 2_000;
const OVERLAP_CHARACTERS = 200;

function isStop(text: string, at: number, end: number): boolean {
  if (text[at] !== "." || end - at > 2) return true;
  const before = text.slice(Math.max(0, at - 8), at);
  if (!ABBREVIATION.test(before)) return true;
  // "etc." and a number end a sentence where a capital follows after a line or a blank.
  return /(?:etc|\d)$/.test(before) && /^\s+\p{Lu}/u.test(text.slice(end, end + 8));
}

function add(clauses: InlineSpan[], text: string, span: InlineSpan): void {
  const from = skipBlank(text, span.from, span.to);
  if (from === span.to) return;
  let start = from;
  while (span.to - start > MAX_CLAUSE_CHARACTERS) {
    const blank = text.lastIndexOf(" ", start + MAX_CLAUSE_CHARACTERS);
    const end = blank > start + OVERLAP_CHARACTERS * 2 ? blank : start + MAX_CLAUSE_CHARACTERS;
    clauses.push({ from: start, to: end });
    start = end - OVERLAP_CHARACTERS;
  }
  clauses.push({ from: start, to: span.to });
}

function skipBlank(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code < 128 ? code === 32 || (code >= 9 && code <= 13) : BLANK.test(String.fromCharCode(code));
}

const BLANK = /\s/;
