import type { Concept } from "./lexicon.ts";
import type { Meaning } from "./meaning.ts";

/** `Send it without telling them` sends: that negation belongs to the telling. */
export function isAffirmed(meaning: Meaning, concept: Concept): boolean {
  const marks = meaning.marks.get(concept) ?? [];
  return marks.some((mark) => !isDenied(meaning, mark));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function isDenied({ marks }: Meaning, deed: Span): boolean {
  const told = marks.get("learn") ?? NONE;
  const negations = marks.get("no_deed") ?? NONE;
  for (const negation of beginningIn(negations, deed.from - REACH, deed.to + TOKENS_AFTER + 1)) {
    const before = deed.from - negation.to;
    if (before >= 0 && before <= TOKENS_BEFORE && !begins(told, negation.to, deed.from)) return true;
    const after = negation.from - deed.to;
    if (after >= 0 && !begins(told, negation.to, negation.to + TOLD_TOKENS)) return true;
  }
  // Japanese and Korean deny behind the verb.
  return begins(marks.get("no_deed_after") ?? NONE, deed.to, deed.to + TOKENS_BEHIND);
}

function begins(list: readonly Span[], from: number, to: number): boolean {
  return beginningIn(list, from, to).length > 0;
}

/** The marks that begin in a stretch of tokens: they are in order, and a clause may hold thousands of them. */
function beginningIn(list: readonly Span[], from: number, to: number): readonly Span[] {
  const start = firstFrom(list, from);
  let end = start;
  while (end < list.length && (list[end] as Span).from < to) end++;
  return start === end ? NONE : list.slice(start, end);
}

function firstFrom(list: readonly Span[], from: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as Span).from < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NONE: readonly Span[] = [];
const TOKENS_BEFORE = 6;
const TOKENS_AFTER = 2;
const TOLD_TOKENS = 6;
const TOKENS_BEHIND = 4;
// A negation of several words begins earlier than it ends.
const REACH = TOKENS_BEFORE + 6;
