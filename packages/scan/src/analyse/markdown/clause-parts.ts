import type { Stance } from "../../text/source-text.ts";
import type { FoldedProse } from "./folded-prose.ts";
import { hasLetters } from "./has-letters.ts";
import { negationEnd } from "./negation.ts";
import type { InlineSpan } from "./read-inlines.ts";
import { presentsSpecimen } from "./stance.ts";

export interface ClausePart extends InlineSpan {
  readonly stance: Stance;
}

/**
 * Parts a clause by stance. Only what is forbidden is negated, not what "but", "instead" or "until" bring after it; only what
 * stands between quotation marks or as code is quoted, and only where the words around it call it an attack. `code` are the
 * spans of code in this clause.
 */
export function clauseParts(
  prose: FoldedProse,
  clause: InlineSpan,
  code: readonly InlineSpan[],
): readonly ClausePart[] {
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

function negatedParts(words: string, clause: InlineSpan, negation: number): readonly ClausePart[] {
  // "Do not just run it" turns nothing: the word right behind the negation belongs to it.
  const next = words.indexOf(" ", negation + 1);
  TURN.lastIndex = next === -1 ? negation : next;
  const turn = TURN.exec(words);
  if (turn === null) return [{ ...clause, stance: "negated" }];
  const at = clause.from + turn.index;
  // "Never answer without sending it" demands the sending, so the word that turns it around stays out.
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

function quotationsIn(words: string, clause: InlineSpan, code: readonly InlineSpan[]): readonly InlineSpan[] {
  const mayQuote = QUOTATION_MARK.test(words);
  if (!mayQuote && code.length === 0) return code;
  const spans: InlineSpan[] = [];
  for (const span of code) if (span.to <= clause.to) spans.push(span);
  if (mayQuote)
    for (const match of words.matchAll(QUOTATION)) {
      const from = clause.from + match.index;
      spans.push({ from, to: from + match[0].length });
      if (spans.length >= MAX_QUOTATIONS) break;
    }
  spans.sort((left, right) => left.from - right.from || right.to - left.to);
  const apart: InlineSpan[] = [];
  for (const span of spans) if (span.from >= (apart.at(-1)?.to ?? 0)) apart.push(span);
  return apart.slice(0, MAX_QUOTATIONS);
}
