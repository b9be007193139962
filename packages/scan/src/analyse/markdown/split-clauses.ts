import { foldText, isPlain } from "../../text/fold-text.ts";
import type { Stance } from "../../text/source-text.ts";
import type { Span } from "../fact-writer.ts";
import { presentsSpecimen } from "./document-context.ts";
import { negationEnd } from "./negation.ts";

/**
 * Splits visible prose into clauses: at ends of sentences (Chinese and Japanese ones too), at semicolons and
 * at line breaks after a colon. `whole` spans, such as code and addresses, are never split.
 */
export function splitClauses(text: string, whole: readonly Span[]): readonly Span[] {
  const clauses: Span[] = [];
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

/** Longer clauses are split, with an overlap that is long enough for any phrase. */
const MAX_CLAUSE_CHARACTERS = 2_000;
const OVERLAP_CHARACTERS = 200;

function isStop(text: string, at: number, end: number): boolean {
  if (text[at] !== "." || end - at > 2) return true;
  const before = text.slice(Math.max(0, at - 8), at);
  if (!ABBREVIATION.test(before)) return true;
  // "etc." and a number end a sentence if a capital follows after whitespace.
  return /(?:etc|\d)$/.test(before) && /^\s+\p{Lu}/u.test(text.slice(end, end + 8));
}

function add(clauses: Span[], text: string, span: Span): void {
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

interface ClausePart extends Span {
  readonly stance: Stance;
}

/**
 * Splits a clause by stance. Only the forbidden part is negated, not the part after "but", "instead" or
 * "until"; only text in quotation marks or code is quoted, and only if the words around it call it an attack.
 * `code` are the spans of code in this clause.
 */
export function clauseParts(prose: FoldedProse, clause: Span, code: readonly Span[]): readonly ClausePart[] {
  const { text } = prose;
  const words = text.slice(clause.from, clause.to);
  const negation = negationEnd(prose.slice(clause.from, clause.to));
  if (negation !== undefined) return negatedParts(words, clause, negation);
  const quotations = quotationsIn(words, clause, code);
  if (quotations.length === 0) return [{ from: clause.from, to: clause.to, stance: "live" }];
  const parts: ClausePart[] = [];
  let start = clause.from;
  for (const quotation of quotations) {
    const before = prose.slice(clause.from, quotation.from);
    const after = prose.slice(quotation.to, Math.min(clause.to, quotation.to + 160));
    if (!presentsSpecimen(before, after)) continue;
    if (hasLetters(text.slice(start, quotation.from)))
      parts.push({ from: start, to: quotation.from, stance: "live" });
    parts.push({ ...quotation, stance: "quoted" });
    start = quotation.to;
  }
  if (hasLetters(text.slice(start, clause.to))) parts.push({ from: start, to: clause.to, stance: "live" });
  return parts;
}

const TURN =
  /[,;]?\s{1,4}(?:but|instead|rather|just|simply|until|unless|before|prior to|if you (?:have not|haven't)|except|otherwise|and then|then|и затем|но|просто|вместо этого|пока)(?=\s)|\s{1,4}(?:without|без)(?=\s)|[,;，；]\s{0,4}(?:而是|但|直接|除非|直到|然后|只需)|[,;]\s{1,4}(?=(?:run|execute|send|download|install|paste|post|upload|fetch|visit|open)\s[^,]{12})/giu;

function negatedParts(words: string, clause: Span, negation: number): readonly ClausePart[] {
  // In "Do not just run it" nothing is reversed: the word after the negation belongs to it.
  const next = words.indexOf(" ", negation + 1);
  TURN.lastIndex = next === -1 ? negation : next;
  const turn = TURN.exec(words);
  if (turn === null) return [{ ...clause, stance: "negated" }];
  const at = clause.from + turn.index;
  // "Never answer without sending it" demands the sending, so the reversing word is left out.
  const rest = at + turn[0].length;
  const parts: ClausePart[] = [{ from: clause.from, to: at, stance: "negated" }];
  if (hasLetters(words.slice(turn.index + turn[0].length)))
    parts.push({ from: rest, to: clause.to, stance: "live" });
  return parts;
}

const QUOTATION =
  /"[^"\n]{3,600}"|“[^”]{3,600}”|«[^»]{3,600}»|「[^」]{2,600}」|『[^』]{2,600}』|„[^“”]{3,600}[“”]|(?<![\p{L}\p{N}])'[^'\n]{3,300}'(?![\p{L}\p{N}])|‘[^’]{3,300}’(?![\p{L}])/gu;

const QUOTATION_MARK = /["“«「『„'‘]/;
const MAX_QUOTATIONS = 64;

function quotationsIn(words: string, clause: Span, code: readonly Span[]): readonly Span[] {
  const mayQuote = QUOTATION_MARK.test(words);
  if (!mayQuote && code.length === 0) return code;
  const spans: Span[] = [];
  for (const span of code) if (span.to <= clause.to) spans.push(span);
  if (mayQuote)
    for (const match of words.matchAll(QUOTATION)) {
      const from = clause.from + match.index;
      spans.push({ from, to: from + match[0].length });
      if (spans.length >= MAX_QUOTATIONS) break;
    }
  spans.sort((left, right) => left.from - right.from || right.to - left.to);
  const apart: Span[] = [];
  for (const span of spans) if (span.from >= (apart.at(-1)?.to ?? 0)) apart.push(span);
  return apart.slice(0, MAX_QUOTATIONS);
}

/** A text with spans that are folded; plain ASCII, the most common case, is folded all at once. */
export class FoldedProse {
  readonly text: string;
  readonly #lower: string | undefined;
  /** The last span: a clause is judged as a whole, and then often read as a whole again. */
  #last = { from: 0, to: 0, folded: "" };

  constructor(text: string) {
    this.text = text;
    this.#lower = isPlain(text) ? text.toLowerCase() : undefined;
  }

  slice(from: number, to: number): string {
    if (this.#lower !== undefined) return this.#lower.slice(from, to);
    if (this.#last.from !== from || this.#last.to !== to)
      this.#last = { from, to, folded: foldText(this.text.slice(from, to)) };
    return this.#last.folded;
  }
}

export function hasLetters(text: string): boolean {
  return ASCII.test(text) || ANY.test(text);
}

// Most text contains one, and this check is faster.
const ASCII = /[A-Za-z0-9]/;
const ANY = /[\p{L}\p{N}]/u;
