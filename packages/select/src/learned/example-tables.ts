import { splitWords, stemWord } from "@skillet/kit/words";
import type { SelectableSkill } from "../selectable-skill.ts";
import type { Learned } from "./learned.ts";
import { learnedEffect } from "./learned-effect.ts";

/** A message that its author says should call a skill, or should not. */
export interface TriggerExample {
  readonly message: string;
  readonly shouldTrigger: boolean;
}

/** No more examples of one skill are looked at, and no more of each. */
const MAX_EXAMPLES = 300;
const MAX_EXAMPLE_CHARACTERS = 2_000;

/** So many imagined messages stand beside the real ones: of all skills, where words are as usual, and of each kind. */
const IMAGINED = 5;
const IMAGINED_EACH = 8;

/** At these log-odds examples have said all that they can say. */
const FULL_ODDS = 10;

/** Where many examples have nothing in common with a message, it is rather not for the skill; so many are half of many. */
const STRANGE_ODDS = -6;
const HALF_OF_MANY = 20;

/** The examples of skills, their authors' and learned ones; read when a skill with examples first comes up. */
export function createExampleTables(parts: {
  readonly examples: ReadonlyMap<string, readonly TriggerExample[]> | undefined;
  readonly learned: Learned | undefined;
  readonly rarityOf: (term: string) => number;
}): (skill: SelectableSkill) => ExampleTable | undefined {
  const { examples = new Map<string, readonly TriggerExample[]>(), learned, rarityOf } = parts;
  const tables = new Map<string, ExampleTable>();
  let common: Tally | undefined;
  return (skill) => {
    const { qualifiedName } = skill;
    const own = [...(examples.get(qualifiedName) ?? []), ...(learnedEffect(learned, skill)?.examples ?? [])];
    if (own.length === 0) return undefined;
    common ??= new Tally([...examples.values()].flatMap((some) => some.slice(0, MAX_EXAMPLES)));
    const table = tables.get(qualifiedName) ?? new ExampleTable(own, { rarityOf, common });
    tables.set(qualifiedName, table);
    return table;
  };
}

/**
 * Naive Bayes over words and neighbouring words. How usual they are among all examples stands against each kind: a skill
 * whose examples have a little of everything learns nothing from them.
 */
export class ExampleTable {
  readonly #wanted: Tally;
  readonly #unwanted: Tally;
  readonly #all: Tally;
  readonly #known: ReadonlyMap<string, boolean>;
  readonly #rarityOf: (term: string) => number;

  constructor(
    examples: readonly TriggerExample[],
    { rarityOf, common }: { readonly rarityOf: (term: string) => number; readonly common?: Tally },
  ) {
    const used = examples.slice(0, MAX_EXAMPLES);
    this.#wanted = new Tally(used.filter(({ shouldTrigger }) => shouldTrigger));
    this.#unwanted = new Tally(used.filter(({ shouldTrigger }) => !shouldTrigger));
    this.#all = common === undefined || common.total < used.length ? new Tally(used) : common;
    this.#known = new Map(used.map(({ message, shouldTrigger }) => [keyOf(message), shouldTrigger]));
    this.#rarityOf = rarityOf;
  }

  /** How much nearer a message is to the examples that should call it than to those that should not; between -1 and 1. */
  nearnessOf(message: string): number {
    const known = this.#known.get(keyOf(message));
    if (known !== undefined) return known ? 1 : -1;
    const examples = this.#wanted.total + this.#unwanted.total;
    let odds = (STRANGE_ODDS * examples) / (examples + HALF_OF_MANY);
    for (const part of partsOf(message)) {
      const seen = this.#all.count(part);
      if (seen === 0) continue;
      const rarity = part.split(" ").reduce((sum, term) => sum + this.#rarityOf(term), 0);
      const usual = (seen + IMAGINED * Math.exp(-rarity)) / (this.#all.total + IMAGINED);
      odds += Math.log(this.#wanted.shareOf(part, usual) / this.#unwanted.shareOf(part, usual));
    }
    return Math.max(-1, Math.min(1, odds / FULL_ODDS));
  }
}

/** How many of some messages have a word, or two words beside each other. */
class Tally {
  readonly total: number;
  readonly #counts = new Map<string, number>();

  constructor(messages: readonly TriggerExample[]) {
    this.total = messages.length;
    for (const one of messages) {
      const parts = partsOfExamples.get(one) ?? partsOf(one.message);
      partsOfExamples.set(one, parts);
      for (const part of parts) this.#counts.set(part, this.count(part) + 1);
    }
  }

  count(part: string): number {
    return this.#counts.get(part) ?? 0;
  }

  shareOf(part: string, usual: number): number {
    return (this.count(part) + IMAGINED_EACH * usual) / (this.total + IMAGINED_EACH);
  }
}

// Each example counts for its skill and for all; finding its words is most of what the first message waits for.
const partsOfExamples = new WeakMap<TriggerExample, ReadonlySet<string>>();

function partsOf(message: string): ReadonlySet<string> {
  const parts = new Set<string>();
  // The first word and the last one are parts of their own.
  let before = "^";
  for (const word of splitWords(message.slice(0, MAX_EXAMPLE_CHARACTERS))) {
    const term = stemWord(word);
    parts.add(term).add(`${before} ${term}`);
    before = term;
  }
  return parts.add(`${before} $`);
}

function keyOf(message: string): string {
  return message.slice(0, MAX_EXAMPLE_CHARACTERS).toLowerCase().replace(PUNCTUATION, " ").trim();
}

const PUNCTUATION = /[\s.,;:!?]+/g;
