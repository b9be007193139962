import { splitWords, stemWord } from "@skillet/kit/words";
import type { SelectableSkill } from "../selectable-skill.ts";
import type { Learned } from "./learned.ts";
import { learnedEffect } from "./learned-effect.ts";

/** If the best skill for an example leads by more than this, the message belongs to that one. */
const MAX_LAG = 3;

export interface ExampleEvidence {
  /** The middle between the scores of examples that should call it and of those that should not. */
  readonly threshold: number;
  /** How much nearer the message is to the former than to the latter; between -1 and 1. */
  readonly nearness: number;
}

/** Where scores of examples that should call a skill and of those that should not usually meet. */
export const USUAL_THRESHOLD = 7.1;

interface ExampleParts {
  readonly examples: ReadonlyMap<string, readonly TriggerExample[]> | undefined;
  readonly learned: Learned | undefined;
  readonly rarityOf: (term: string) => number;
  readonly standingOf: (
    skill: SelectableSkill,
    message: string,
  ) => { readonly score: number; readonly lag: number };
}

/** The examples of skills, their authors' and learned ones; their scores are found when a skill first comes up. */
export function createExampleTables(
  parts: ExampleParts,
): (skill: SelectableSkill) => ExampleTable | undefined {
  const { learned, rarityOf, standingOf } = parts;
  const tables = new Map<string, ExampleTable>();
  return (skill) => {
    const examples = (parts.examples?.get(skill.qualifiedName) ?? []).slice(0, MAX_EXAMPLES);
    const nearOnly = learnedEffect(learned, skill)?.examples ?? [];
    if (examples.length === 0 && nearOnly.length === 0) return undefined;
    const known = tables.get(skill.qualifiedName);
    if (known !== undefined) return known;
    const standings = new Map(examples.map(({ message }) => [message, standingOf(skill, message)]));
    // A claim to a message that another skill's text fits far better says nothing about what such words mean.
    const fitting = examples.filter(
      ({ message, shouldTrigger }) => !shouldTrigger || (standings.get(message)?.lag ?? 0) <= MAX_LAG,
    );
    const scoreOf = (message: string): number => standings.get(message)?.score ?? 0;
    const table = new ExampleTable(fitting, { nearOnly, rarityOf, scoreOf });
    tables.set(skill.qualifiedName, table);
    return table;
  };
}

/** A message that its author says should call a skill, or should not. */
export interface TriggerExample {
  readonly message: string;
  readonly shouldTrigger: boolean;
}

/** No more examples of one skill are looked at. */
const MAX_EXAMPLES = 100;

// So many imagined examples of usual scores stand beside the real ones: one example must not move much.
const IMAGINED = 4;
const USUAL_SPREAD = 2.2;

export class ExampleTable {
  readonly #examples: readonly { readonly terms: ReadonlySet<string>; readonly shouldTrigger: boolean }[];
  readonly #rarityOf: (term: string) => number;
  readonly threshold: number;

  constructor(
    examples: readonly TriggerExample[],
    tools: {
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
