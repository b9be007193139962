import type { Cost } from "./cost.ts";

/** One of the things that are measured against each other. */
export interface Contestant<Name extends string> {
  readonly name: Name;
  /** Runs once, and says what that cost. */
  readonly turn: () => Cost | Promise<Cost>;
}

/**
 * Gives every contestant one turn a round, so that a slow phase of the machine falls on all of them alike.
 *
 * The order rotates from round to round: no contestant always runs after the same other one. Garbage is not collected
 * by force in between: that makes V8 drop the optimised code of every function whose objects have all died.
 */
export async function interleave<Name extends string>(
  contestants: readonly Contestant<Name>[],
  options: { readonly rounds: number },
): Promise<ReadonlyMap<Name, readonly Cost[]>> {
  const costs = new Map<Name, Cost[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    const first = round % contestants.length;
    for (const { name, turn } of [...contestants.slice(first), ...contestants.slice(0, first)])
      costs.get(name)?.push(await turn());
  }
  return costs;
}
