import { splitWords, stemWord } from "@skillet/kit/words";
import type { SelectableSkill } from "../selectable-skill.ts";
import { RARE_SHARE, USUAL_SHARES } from "../text/usual-shares.ts";
import type { Learned } from "./learned.ts";
import { learnedEffect } from "./learned-effect.ts";

/** A message that, according to the author, should or should not call a skill. */
export interface TriggerExample {
  readonly message: string;
  readonly shouldTrigger: boolean;
}

/** Bounds on the examples of one skill and on the length of each. */
const MAX_EXAMPLES = 300;
const MAX_EXAMPLE_CHARACTERS = 2_000;

/** Imaginary messages, with words as common as in language, that are added to the examples of all skills. */
const IMAGINED = 150;
/** The least share assumed for a word: if few were counted, chance hits are more frequent than they seem. */
const LEAST_SHARE = 0.002;
/** The lower this is, the sooner counts are believed: a single example says little. */
const DOUBT = 0.25;
/** The most that a word of the message which no example has counts against it: examples are incomplete. */
const MOST_AGAINST = -0.4;
/** Log-odds that count as full certainty. */
const FULL_ODDS = 9;
/** Log-odds of a message that has nothing in common with the examples: rather not for the skill. */
const STRANGE_ODDS = { wanted: -4, subject: -3 };
/** This many examples count half as much as very many. */
const HALF_OF_MANY = 20;

/** How a message compares with the examples, each between -1 and 1. */
export interface Nearness {
  /** How much closer it is to the examples that should call the skill than to those that should not. */
  readonly wanted: number;
  /** How much it shares with the former that other messages lack: everyday words do not count here. */
  readonly subject: number;
}

export const NO_EXAMPLES: Nearness = { wanted: 0, subject: 0 };

/** The examples of skills, from authors and learned; read when a skill with examples is first ranked. */
export function createExampleTables(parts: {
  readonly examples?: ReadonlyMap<string, readonly TriggerExample[]> | undefined;
  readonly learned?: Learned | undefined;
}): (skill: SelectableSkill) => ExampleTable | undefined {
  const { examples = new Map<string, readonly TriggerExample[]>(), learned } = parts;
  const tables = new Map<string, ExampleTable>();
  let common: Tally | undefined;
  return (skill) => {
    const { qualifiedName } = skill;
    const own = [...(examples.get(qualifiedName) ?? []), ...(learnedEffect(learned, skill)?.examples ?? [])];
    if (own.length === 0) return undefined;
    common ??= new Tally([...examples.values()].flatMap((some) => some.slice(0, MAX_EXAMPLES)));
    const table = tables.get(qualifiedName) ?? new ExampleTable(own, common);
    tables.set(qualifiedName, table);
    return table;
  };
}

/**
 * Naive Bayes over words and pairs of neighbouring words. Each is compared with its usual share in language
 * and among all examples: a skill whose examples mention a little of everything gains nothing.
 */
export class ExampleTable {
  readonly #wanted: Tally;
  readonly #unwanted: Tally;
  readonly #all: Tally;
  readonly #known: ReadonlyMap<string, boolean>;

  constructor(examples: readonly TriggerExample[], common?: Tally) {
    const used = examples.slice(0, MAX_EXAMPLES);
    this.#wanted = new Tally(used.filter(({ shouldTrigger }) => shouldTrigger));
    this.#unwanted = new Tally(used.filter(({ shouldTrigger }) => !shouldTrigger));
    this.#all = common === undefined || common.total < used.length ? new Tally(used) : common;
    this.#known = new Map(used.map(({ message, shouldTrigger }) => [keyOf(message), shouldTrigger]));
  }

  nearnessOf(message: string): Nearness {
    const known = this.#known.get(keyOf(message));
    if (known !== undefined) return known ? { wanted: 1, subject: 1 } : { wanted: -1, subject: -1 };
    const examples = this.#wanted.total + this.#unwanted.total;
    let wanted = STRANGE_ODDS.wanted;
    let subject = STRANGE_ODDS.subject;
    for (const part of partsOf(message)) {
      const usual = this.#usualShareOf(part);
      const lift = this.#wanted.liftOf(part, usual);
      subject += Math.max(MOST_AGAINST, lift);
      if (this.#wanted.count(part) + this.#unwanted.count(part) > 0)
        wanted += lift - this.#unwanted.liftOf(part, usual);
    }
    const many = examples / (examples + HALF_OF_MANY);
    return { wanted: within(wanted * many), subject: within(subject * many) };
  }

  #usualShareOf(part: string): number {
    const share = part.split(" ").reduce((sum, term) => sum * (USUAL_SHARES.get(term) ?? RARE_SHARE), 1);
    const seen = this.#all.count(part) + IMAGINED * share;
    return Math.max(LEAST_SHARE, seen / (this.#all.total + IMAGINED));
  }
}

function within(odds: number): number {
  return Math.max(-1, Math.min(1, odds / FULL_ODDS));
}

/** Counts the messages that have a word, or two neighbouring words. */
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

  /** The logarithm of how many times as often as usual the messages have the part. */
  liftOf(part: string, usual: number): number {
    return Math.log((DOUBT + this.count(part)) / (DOUBT + this.total * usual));
  }
}

// Each example counts twice, for its skill and for all; splitting them is most of the first message's cost.
const partsOfExamples = new WeakMap<TriggerExample, ReadonlySet<string>>();

function partsOf(message: string): ReadonlySet<string> {
  const parts = new Set<string>();
  // Being the first or the last word counts as a part too.
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
