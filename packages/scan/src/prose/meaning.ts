import { type Concept, LEXICON, type Term, type TermWord } from "./lexicon.ts";
import { readTokens } from "./tokens.ts";

/** Where a concept stands in a clause, counted in tokens; `to` is exclusive. */
interface Mark {
  readonly from: number;
  readonly to: number;
}

/** A clause as concepts with places. */
export interface Meaning {
  readonly tokens: readonly string[];
  readonly marks: ReadonlyMap<Concept, readonly Mark[]>;
}

/** Reads the concepts out of a folded text in one pass over its words. */
export function readMeaning(text: string): Meaning {
  const tokens = readTokens(text);
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
    const opening = mayOpen(word) ? openingOf(word) : NO_OPENING;
    if (opening === NO_OPENING) continue;
    marks ??= new Map();
    const isFalseFriend = FALSE_FRIENDS.has(word) && !ROMANCE.test(text);
    for (const term of termsBefore(opening, tokens[index + 1]))
      if (!isFalseFriend || term.rest.length > 0) markTerm(tokens, index, term, marks);
  }
  return { tokens, marks: marks ?? NO_MARKS };
}

const NO_MARKS: ReadonlyMap<Concept, readonly Mark[]> = new Map();

// `No results` and `sin(x)` are no negations; in a Spanish sentence both words are.
const FALSE_FRIENDS: ReadonlySet<string> = new Set(["no", "sin"]);
const ROMANCE = /(?:^|\s)(?:el|la|los|las|al|que|del|lo|le|se|una?|para|con|usuario|esto|nada|ao)(?:\s|$)/;

function addressKind(word: string): "address" | "mail_address" | undefined {
  if (word.includes("://")) return "address";
  return word.includes("@") ? "mail_address" : undefined;
}

export function has(meaning: Meaning, ...concepts: readonly Concept[]): boolean {
  for (const concept of concepts) if (!meaning.marks.has(concept)) return false;
  return true;
}

export function hasAny(meaning: Meaning, ...concepts: readonly Concept[]): boolean {
  for (const concept of concepts) if (meaning.marks.has(concept)) return true;
  return false;
}

/** Whether all concepts stand within some `span` tokens, in any order. */
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

/** Whether the concepts follow one another in this order, each at most `gap` tokens after the one before. */
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

/** The marks that begin at most `gap` tokens after the end of one of the earlier. */
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

/** The terms that a word may begin, and what tells most of them off: `the` begins a hundred, and few go on as the text does. */
interface Opening {
  readonly terms: readonly Term[];
  readonly single: readonly Term[];
  /** Second words of the others. */
  readonly nextWords: ReadonlySet<string>;
  readonly nextStems: readonly string[];
}

/** Whether some term begins with the first three letters of a word: half of all words are told off by a look at a table. */
function mayOpen(word: string): boolean {
  if (word.length < 3) return true;
  return BEGINNINGS[placeOf(word.charCodeAt(0), word.charCodeAt(1), word.charCodeAt(2))] === 1;
}

/** Letters that share a place only make a word be looked up in vain. */
function placeOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);
}

const BEGINNINGS: Uint8Array = readBeginnings();

function readBeginnings(): Uint8Array {
  const beginnings = new Uint8Array(32 ** 3);
  const note = (letters: string): void => {
    beginnings[placeOf(letters.charCodeAt(0), letters.charCodeAt(1), letters.charCodeAt(2))] = 1;
  };
  for (const word of LEXICON.whole.keys()) if (word.length >= 3) note(word);
  for (const letters of LEXICON.stem.keys()) {
    if (letters.length >= 3) note(letters);
    // A stem of one or two letters goes on in any way.
    else
      for (let rest = 0; rest < 1024; rest++) {
        const second = letters.length === 2 ? letters.charCodeAt(1) : rest >> 5;
        beginnings[placeOf(letters.charCodeAt(0), second, rest)] = 1;
      }
  }
  return beginnings;
}

/** What a word may begin; the same words come again and again, so it is kept. */
function openingOf(word: string): Opening {
  let opening = OPENINGS.get(word);
  if (opening === undefined) {
    if (OPENINGS.size >= MAX_KEPT_WORDS) OPENINGS.clear();
    opening = createOpening(findTerms(word));
    if (word.length <= MAX_KEPT_CHARACTERS) OPENINGS.set(word, opening);
  }
  return opening;
}

const OPENINGS = new Map<string, Opening>();
const MAX_KEPT_WORDS = 50_000;
const MAX_KEPT_CHARACTERS = 40;
const NO_TERMS: readonly Term[] = [];
const NO_OPENING: Opening = { terms: NO_TERMS, single: NO_TERMS, nextWords: new Set(), nextStems: [] };

function createOpening(terms: readonly Term[]): Opening {
  if (terms.length === 0) return NO_OPENING;
  const nextWords = new Set<string>();
  const nextStems: string[] = [];
  for (const { rest } of terms) {
    const next = rest[0];
    if (next?.isStem === true) nextStems.push(next.word);
    else if (next !== undefined) nextWords.add(next.word);
  }
  return { terms, single: terms.filter(({ rest }) => rest.length === 0), nextWords, nextStems };
}

/** The terms that may stand before a word. */
function termsBefore(opening: Opening, next: string | undefined): readonly Term[] {
  const { terms, single, nextWords, nextStems } = opening;
  if (next === undefined || single.length === terms.length) return single;
  if (nextWords.has(next)) return terms;
  for (const stem of nextStems) if (next.startsWith(stem)) return terms;
  return single;
}

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
