import type { Skill } from "../../registry/skill.ts";
import type { Learned } from "../learned/learned.ts";
import { learnedEffect } from "../learned/learned-effect.ts";
import { ExampleTable, MAX_EXAMPLES, type TriggerExample } from "./example-table.ts";

/** An example that its skill is further behind for, on the scale of scores, is somebody else's message. */
const MAX_BEHIND = 3;

/** The score of a skill for a message, and how far it is behind the best. */
export interface ExampleStanding {
  readonly score: number;
  readonly behind: number;
}

interface ExampleParts {
  readonly examples: ReadonlyMap<string, readonly TriggerExample[]> | undefined;
  readonly learned: Learned | undefined;
  readonly rarityOf: (term: string) => number;
  readonly standingOf: (skill: Skill, message: string) => ExampleStanding;
}

/** The examples of skills, their authors' and learned ones; their scores are found when a skill first comes up. */
export class ExampleTables {
  readonly #tables = new Map<string, ExampleTable>();
  readonly #parts: ExampleParts;

  constructor(parts: ExampleParts) {
    this.#parts = parts;
  }

  /** Undefined where nobody gave any. */
  of(skill: Skill): ExampleTable | undefined {
    const { learned, rarityOf, standingOf } = this.#parts;
    const examples = (this.#parts.examples?.get(skill.qualifiedName) ?? []).slice(0, MAX_EXAMPLES);
    const nearOnly = learnedEffect(learned, skill)?.examples ?? [];
    if (examples.length === 0 && nearOnly.length === 0) return undefined;
    const known = this.#tables.get(skill.qualifiedName);
    if (known !== undefined) return known;
    const standings = new Map(examples.map(({ message }) => [message, standingOf(skill, message)]));
    // Who claims what another's text fits far better says nothing about what is meant by such words.
    const table = new ExampleTable(
      examples.filter(
        ({ message, shouldTrigger }) => !shouldTrigger || (standings.get(message)?.behind ?? 0) <= MAX_BEHIND,
      ),
      { nearOnly, rarityOf, scoreOf: (message) => standings.get(message)?.score ?? 0 },
    );
    this.#tables.set(skill.qualifiedName, table);
    return table;
  }
}
