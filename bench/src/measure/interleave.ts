/** One of the things that are measured against each other. */
export interface Contestant<Name extends string> {
  readonly name: Name;
  /** Runs before each measurement and is not timed. */
  readonly prepare?: () => void;
  readonly run: () => unknown;
}

/**
 * Times all contestants once per round, so that a slow phase of the machine falls on all of them alike.
 *
 * The order rotates from round to round: no contestant always runs after the same other one.
 */
export async function interleave<Name extends string>(
  contestants: readonly Contestant<Name>[],
  options: { readonly rounds: number },
): Promise<ReadonlyMap<Name, readonly number[]>> {
  const times = new Map<Name, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      contestant.prepare?.();
      // What one contestant left behind must not be collected on the time of the next.
      globalThis.gc?.();
      times.get(contestant.name)?.push(await time(contestant.run));
    }
  }
  return times;
}

/** Milliseconds until what `run` returns has settled. */
export async function time(run: () => unknown): Promise<number> {
  const start = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - start) / 1e6;
}
