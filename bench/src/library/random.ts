/** A seeded source of choices, so that the same seed gives the same library on every machine. */
export interface Random {
  /** At least 0 and below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** A value with the given distribution: pairs of (share of values below, value), in rising order. */
  fromQuantiles(quantiles: Quantiles): number;
}

/** Measured points of a distribution; values between two points are interpolated on a log scale. */
export type Quantiles = readonly (readonly [share: number, value: number])[];

/** Mulberry32: 32 bits of state, and the same numbers on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  function between(low: number, high: number): number {
    return low + Math.floor(next() * (high - low + 1));
  }
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError("There is nothing to pick from in an empty list.");
      return item;
    },
    fromQuantiles: (quantiles) => Math.round(interpolate(quantiles, next())),
  };
}

function interpolate(quantiles: Quantiles, share: number): number {
  let [lowShare, lowValue] = quantiles[0] ?? [0, 0];
  for (const [highShare, highValue] of quantiles) {
    if (share < highShare) {
      const part = (share - lowShare) / (highShare - lowShare);
      return Math.exp(Math.log(lowValue + 1) * (1 - part) + Math.log(highValue + 1) * part) - 1;
    }
    [lowShare, lowValue] = [highShare, highValue];
  }
  return lowValue;
}
