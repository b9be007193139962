import { type Concept, LEXICON, type Term, type TermWord } from "./lexicon.ts";
import { readTokens } from "./tokens.ts";

interface Mark {
  readonly from: number;
  readonly to: number;
}

export interface Meaning {
  readonly tokens: readonly string[];
  readonly marks: ReadonlyMap<Concept, readonly Mark[]>;
}

export function readMeaning(text: string): Meaning {
  const tokens = readTokens(text.includes(".pub") ? text.replace(PUBLIC_KEY, " ") : text);
  const hasAddresses = text.includes("://") || text.includes("@");
  let marks: Map<Concept, Mark[]> | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const word = tokens[index] as string;
    const address = hasAddresses ? addressKind(word) : undefined;
    if (address !== undefined) {
      marks ??= new Map();
      addMark(marks, address, { from: index, to: index + 1 });
      continue;
    }
    const terms = termsOf(word);
    if (terms.length === 0) continue;
    marks ??= new Map();
    const isFalseFriend = FALSE_FRIENDS.has(word) && !ROMANCE.test(text);
    for (const term of terms)
      if (!isFalseFriend || term.rest.length > 0) markTerm(tokens, index, term, marks);
  }
  return { tokens, marks: marks ?? NO_MARKS };
}

// `~/.ssh/id_rsa.pub` is made to be given away; `~/.ssh/id_rsa.pub/../id_rsa` is not such a path.
const PUBLIC_KEY = /(?<![\w./~$-])[\w./~$-]{1,200}\.pub(?![\w/]|\.[\w/])/g;

const NO_MARKS: ReadonlyMap<Concept, readonly Mark[]> = new Map();

// `No results` and `sin(x)` are no negations; in a Spanish sentence both words are.
const FALSE_FRIENDS: ReadonlySet<string> = new Set(["no", "sin"]);
const ROMANCE = /(?:^|\s)(?:el|la|los|las|al|que|del|lo|le|se|una?|para|con|usuario|esto|nada|ao)(?:\s|$)/;

function addressKind(word: string): "address" | "mail_address" | undefined {
  return word.includes("://") ? "address" : word.includes("@") ? "mail_address" : undefined;
}

export function has(meaning: Meaning, ...concepts: readonly Concept[]): boolean {
  return concepts.every((concept) => meaning.marks.has(concept));
}

export function hasAny(meaning: Meaning, ...concepts: readonly Concept[]): boolean {
  return concepts.some((concept) => meaning.marks.has(concept));
}

export function isNear(meaning: Meaning, span: number, ...concepts: readonly Concept[]): boolean {
  // Most clauses lack one of them: nothing is built before that is known.
  for (const concept of concepts) if (!meaning.marks.has(concept)) return false;
  const lists = concepts.map((concept) => meaning.marks.get(concept) ?? []);
  const at = lists.map(() => 0);
  for (;;) {
    let lowest = 0;
    let first = Number.POSITIVE_INFINITY;
    let last = -1;
    for (let which = 0; which < lists.length; which++) {
      const mark = lists[which]?.[at[which] as number];
      if (mark === undefined) return false;
      if (mark.from < first) {
        first = mark.from;
        lowest = which;
      }
      last = Math.max(last, mark.to);
    }
    if (last - first <= span) return true;
    at[lowest] = (at[lowest] as number) + 1;
  }
}

export function isSequence(meaning: Meaning, gap: number, ...concepts: readonly Concept[]): boolean {
  for (const concept of concepts) if (!meaning.marks.has(concept)) return false;
  let reached: readonly Mark[] | undefined;
  for (const concept of concepts) {
    const list = meaning.marks.get(concept);
    if (list === undefined) return false;
    reached = reached === undefined ? list : marksAfter(reached, list, gap);
    if (reached.length === 0) return false;
  }
  return true;
}

function marksAfter(earlier: readonly Mark[], later: readonly Mark[], gap: number): readonly Mark[] {
  const found: Mark[] = [];
  let index = 0;
  let latestEnd = Number.NEGATIVE_INFINITY;
  for (const mark of later) {
    for (let mine = earlier[index]; mine !== undefined && mine.to <= mark.from; mine = earlier[++index])
      latestEnd = Math.max(latestEnd, mine.to);
    if (mark.from - latestEnd <= gap) found.push(mark);
  }
  return found;
}

/** The terms that a word may begin; the same words come again and again, so they are kept. */
function termsOf(word: string): readonly Term[] {
  if (word.length > 3 && BEGINNINGS[placeOf(word)] === 0) return NO_TERMS;
  let terms = KNOWN_TERMS.get(word);
  if (terms === undefined) {
    if (KNOWN_TERMS.size >= MAX_KEPT_WORDS) KNOWN_TERMS.clear();
    terms = findTerms(word);
    if (word.length <= MAX_KEPT_CHARACTERS) KNOWN_TERMS.set(word, terms);
  }
  return terms;
}

// Most words share their first four letters with no term. Letters that collide only cost a look-up.
const BEGINNINGS = new Uint8Array(32 ** 4);
for (const whole of LEXICON.whole.keys()) if (whole.length > 3) BEGINNINGS[placeOf(whole)] = 1;
for (const stem of LEXICON.stem.keys()) {
  // A short stem goes on in any way.
  const shared = 32 ** Math.max(0, 4 - stem.length);
  BEGINNINGS.fill(1, placeOf(stem), placeOf(stem) + shared);
}

function placeOf(word: string): number {
  let place = 0;
  for (let at = 0; at < 4; at++) place = (place << 5) | (word.charCodeAt(at) & 31);
  return place;
}

const KNOWN_TERMS = new Map<string, readonly Term[]>();
const MAX_KEPT_WORDS = 50_000;
const MAX_KEPT_CHARACTERS = 40;
const NO_TERMS: readonly Term[] = [];

function findTerms(word: string): readonly Term[] {
  const terms: Term[] = [];
  const longest = Math.min(word.length, LEXICON.longestStem);
  for (let length = 1; length <= longest; length++) {
    const found = LEXICON.stem.get(word.slice(0, length));
    if (found !== undefined) terms.push(...found);
  }
  const found = LEXICON.whole.get(word);
  if (found !== undefined) terms.push(...found);
  return terms.length === 0 ? NO_TERMS : terms;
}

function markTerm(
  tokens: readonly string[],
  index: number,
  { concept, rest }: Term,
  marks: Map<Concept, Mark[]>,
): void {
  for (let offset = 0; offset < rest.length; offset++) {
    const text = tokens[index + 1 + offset];
    const { word, isStem } = rest[offset] as TermWord;
    if (text === undefined || (isStem ? !text.startsWith(word) : text !== word)) return;
  }
  addMark(marks, concept, { from: index, to: index + 1 + rest.length });
}

function addMark(marks: Map<Concept, Mark[]>, concept: Concept, mark: Mark): void {
  const list = marks.get(concept);
  if (list === undefined) marks.set(concept, [mark]);
  else list.push(mark);
}
