import { foldText } from "../text/fold-text.ts";
import { LEXICON_ACTIONS } from "./lexicon-actions.ts";
import { LEXICON_CUES } from "./lexicon-cues.ts";
import { LEXICON_INTENT } from "./lexicon-intent.ts";
import { LEXICON_MANNER } from "./lexicon-manner.ts";
import { LEXICON_MISUSE } from "./lexicon-misuse.ts";
import { LEXICON_OBJECTS } from "./lexicon-objects.ts";
import { readTermWords } from "./tokens.ts";

type Tables = typeof LEXICON_ACTIONS &
  (typeof LEXICON_CUES & typeof LEXICON_INTENT & typeof LEXICON_MANNER) &
  (typeof LEXICON_MISUSE & typeof LEXICON_OBJECTS);

const TABLES: Tables = {
  ...{ ...LEXICON_ACTIONS, ...LEXICON_CUES, ...LEXICON_INTENT },
  ...{ ...LEXICON_MANNER, ...LEXICON_MISUSE, ...LEXICON_OBJECTS },
};

/** A meaning that clauses are searched for, whatever words of whatever language carry it. */
export type Concept = keyof Tables | "address" | "mail_address";

export interface Term {
  readonly concept: Concept;
  readonly rest: readonly TermWord[];
}

/** A word of a term; a stem takes every ending. */
export interface TermWord {
  readonly word: string;
  readonly isStem: boolean;
}

/** The terms of all concepts, found by their first word: a tree of letters takes a tenth of a second to grow. */
export interface Lexicon {
  readonly whole: ReadonlyMap<string, readonly Term[]>;
  readonly stem: ReadonlyMap<string, readonly Term[]>;
  readonly longestStem: number;
}

export const LEXICON: Lexicon = indexTerms();

function indexTerms(): Lexicon {
  const whole = new Map<string, Term[]>();
  const stem = new Map<string, Term[]>();
  let longestStem = 0;
  const add = (concept: Concept, text: string): void => {
    const [first, ...rest] = readTermWords(text).map(termWord);
    if (first === undefined) return;
    const terms = first.isStem ? stem : whole;
    const known = terms.get(first.word);
    if (known === undefined) terms.set(first.word, [{ concept, rest }]);
    else known.push({ concept, rest });
    if (first.isStem) longestStem = Math.max(longestStem, first.word.length);
  };
  for (const [concept, terms] of Object.entries(TABLES))
    for (const part of terms.split(",")) {
      const term = part.trim();
      add(concept as Concept, term);
      // Clauses come without accents where they are folded, and with them where they are not.
      const folded = foldText(term);
      if (folded !== term) add(concept as Concept, folded);
    }
  return { whole, stem, longestStem };
}

function termWord(text: string): TermWord {
  const isStem = text.endsWith("*");
  return { word: isStem ? text.slice(0, -1) : text, isStem };
}
