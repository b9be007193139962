import { splitWords, stemWord } from "@skillet/kit/words";
import type { ExampleEvidence } from "./judge-probability.ts";
import { USUAL_THRESHOLD } from "./judge-probability.ts";

/** A message that its author says should call a skill, or should not. */
export interface TriggerExample {
  readonly message: string;
  readonly shouldTrigger: boolean;
}

/** No more examples of one skill are looked at. */
export const MAX_EXAMPLES = 100;

// So many imagined examples of usual scores stand beside the real ones: one example must not move much.
const IMAGINED = 4;
const USUAL_SPREAD = 2.2;

/** One skill's examples: their scores against it, and their words. */
export class ExampleTable {
  readonly #examples: readonly { readonly terms: ReadonlySet<string>; readonly shouldTrigger: boolean }[];
  readonly #rarityOf: (term: string) => number;
  readonly threshold: number;

  constructor(
    examples: readonly TriggerExample[],
    tools: {
      /** The skill's score for a message. */
      readonly scoreOf: (message: string) => number;
      readonly rarityOf: (term: string) => number;
      /** Examples that say what is near and nothing about the threshold, which is learned apart from them. */
      readonly nearOnly?: readonly TriggerExample[];
    },
  ) {
    const used = examples.slice(0, MAX_EXAMPLES);
    this.#rarityOf = tools.rarityOf;
    this.#examples = [...used, ...(tools.nearOnly ?? []).slice(0, MAX_EXAMPLES)].map(
      ({ message, shouldTrigger }) => ({ terms: termsOf(message), shouldTrigger }),
    );
    const middleOf = (shouldTrigger: boolean, usual: number): number => {
      const scores = used
        .filter((example) => example.shouldTrigger === shouldTrigger)
        .map(({ message }) => tools.scoreOf(message));
      return (scores.reduce((sum, score) => sum + score, 0) + IMAGINED * usual) / (scores.length + IMAGINED);
    };
    const wanted = middleOf(true, USUAL_THRESHOLD + USUAL_SPREAD);
    this.threshold = (wanted + middleOf(false, USUAL_THRESHOLD - USUAL_SPREAD)) / 2;
  }

  /** What the examples say about a message. */
  evidenceFor(message: string): ExampleEvidence {
    const terms = termsOf(message);
    let wanted = 0;
    let unwanted = 0;
    for (const example of this.#examples) {
      const near = this.#cosine(terms, example.terms);
      if (example.shouldTrigger) wanted = Math.max(wanted, near);
      else unwanted = Math.max(unwanted, near);
    }
    return { threshold: this.threshold, nearness: wanted - unwanted };
  }

  #cosine(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
    let common = 0;
    let leftSquares = 0;
    let rightSquares = 0;
    for (const term of left) {
      const square = this.#rarityOf(term) ** 2;
      leftSquares += square;
      if (right.has(term)) common += square;
    }
    for (const term of right) rightSquares += this.#rarityOf(term) ** 2;
    return common === 0 ? 0 : common / Math.sqrt(leftSquares * rightSquares);
  }
}

function termsOf(message: string): ReadonlySet<string> {
  return new Set(splitWords(message.slice(0, MAX_EXAMPLE_CHARACTERS)).map(stemWord));
}

const MAX_EXAMPLE_CHARACTERS = 2_000;
