import { foldText } from "../text/fold-text.ts";
import { LEXICON_ACTIONS } from "./lexicon-actions.ts";
import { LEXICON_CUES } from "./lexicon-cues.ts";
import { LEXICON_INTENT } from "./lexicon-intent.ts";
import { LEXICON_MANNER } from "./lexicon-manner.ts";
import { LEXICON_MISUSE } from "./lexicon-misuse.ts";
import { LEXICON_OBJECTS } from "./lexicon-objects.ts";
import { readTermWords } from "./tokens.ts";

/** A meaning that clauses are searched for, whatever words of whatever language carry it. */
export type Concept =
  | keyof typeof LEXICON_ACTIONS
  | keyof typeof LEXICON_CUES
  | keyof typeof LEXICON_INTENT
  | keyof typeof LEXICON_MANNER
  | keyof typeof LEXICON_MISUSE
  | keyof typeof LEXICON_OBJECTS
  | "address"
  | "mail_address";

/** One term, found by its first word. */
export interface Term {
  readonly concept: Concept;
  /** The words after the first. */
  readonly rest: readonly TermWord[];
}

/** A word of a term; a stem takes every ending. */
export interface TermWord {
  readonly word: string;
  readonly isStem: boolean;
}

/** A letter of the index over the terms' first words. */
export interface LexiconNode {
  readonly next: Map<string, LexiconNode>;
  /** Terms whose first word ends here. */
  readonly whole: Term[];
  /** Terms whose first word begins so. */
  readonly stem: Term[];
}

/** The terms of all concepts, indexed by the letters of their first word: one walk a word finds them all. */
export const LEXICON: LexiconNode = indexTerms();

function indexTerms(): LexiconNode {
  const root = emptyNode();
  // Clauses come without accents where they are folded, and with them where they are not.
  for (const table of [
    LEXICON_ACTIONS,
    LEXICON_CUES,
    LEXICON_INTENT,
    LEXICON_MANNER,
    LEXICON_MISUSE,
    LEXICON_OBJECTS,
  ])
    for (const [concept, terms] of Object.entries(table))
      for (const term of terms.split(","))
        for (const form of new Set([term.trim(), foldText(term.trim())]))
          addTerm(root, concept as Concept, form);
  return root;
}

function addTerm(root: LexiconNode, concept: Concept, term: string): void {
  const words = readTermWords(term);
  const [first, ...rest] = words;
  if (first === undefined) return;
  const isStem = first.endsWith("*");
  let node = root;
  for (const letter of isStem ? first.slice(0, -1) : first) {
    let next = node.next.get(letter);
    if (next === undefined) {
      next = emptyNode();
      node.next.set(letter, next);
    }
    node = next;
  }
  (isStem ? node.stem : node.whole).push({ concept, rest: rest.map(termWord) });
}

function termWord(text: string): TermWord {
  const isStem = text.endsWith("*");
  return { word: isStem ? text.slice(0, -1) : text, isStem };
}

function emptyNode(): LexiconNode {
  return { next: new Map(), whole: [], stem: [] };
}
