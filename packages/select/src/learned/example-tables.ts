import { splitWords, stemWord } from "@skillet/kit/words";
import type { SelectableSkill } from "../selectable-skill.ts";
import { RARE_SHARE, USUAL_SHARES } from "../text/usual-shares.ts";
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

/** So many imagined messages, with words as common as they are in language, stand beside the examples of all skills. */
const IMAGINED = 150;
/** The same for words of which too few were counted to tell: a message has a word by chance more often than it seems. */
const LEAST_SHARE = 0.002;
/** What is seen is believed the sooner the less this is: one example alone says little. */
const DOUBT = 0.25;
/** That a message has a word which examples lack says this much against it, at most: examples are never of all. */
const MOST_AGAINST = -0.4;
/** At these log-odds examples have said all that they can say. */
const FULL_ODDS = 9;
/** Where examples have nothing in common with a message, it is rather not for the skill. */
const STRANGE_ODDS = { wanted: -4, subject: -3 };
/** So many examples say half of what many would. */
const HALF_OF_MANY = 20;

/** What examples say of a message, each between -1 and 1. */
export interface Nearness {
  /** How much nearer it is to those that should call the skill than to those that should not. */
  readonly wanted: number;
  /** How much it has in common with the former that other messages do not have: everyday words say nothing here. */
  readonly subject: number;
}

export const NO_EXAMPLES: Nearness = { wanted: 0, subject: 0 };

/** The examples of skills, their authors' and learned ones; read when a skill with examples first comes up. */
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
 * Naive Bayes over words and neighbouring words. How usual they are in language and among all examples stands against
 * each kind: a skill whose examples have a little of everything learns nothing from them.
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

  /** The logarithm of how many times as often they have it as is usual. */
  liftOf(part: string, usual: number): number {
    return Math.log((DOUBT + this.count(part)) / (DOUBT + this.total * usual));
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
