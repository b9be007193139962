/** Weighs descriptions as they will be written, escapes and all, without writing them. */
export interface TextScale {
  weighFirst(text: string, count: number): number;
  /** Adds the weight of the code point at each of the first places of a text to the sum of that place. */
  addWeights(sums: Float64Array, measured: MeasuredText, count: number): void;
}

/** A scale for what `escapeText` writes; it must treat every character alone. */
export function createTextScale(
  escapeText: (text: string) => string,
  weigh: (text: string) => number,
): TextScale {
  // Filled as characters turn up: texts have a few dozen of them.
  const weights = new Map<string, number>();
  const weighPoint = (point: string): number => {
    const weight = weights.get(point) ?? weigh(escapeText(point));
    weights.set(point, weight);
    return weight;
  };
  return {
    weighFirst: (text, count) => weigh(escapeText(firstCodePoints(text, count))),
    addWeights(sums, { text }, count) {
      let place = 0;
      for (const point of text) {
        if (place >= count) return;
        sums[place] = (sums[place] ?? 0) + weighPoint(point);
        place += 1;
      }
    },
  };
}

export interface MeasuredText {
  readonly text: string;
  readonly codePoints: number;
}

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/;

/** How many code points a text has; half a surrogate pair counts as one. */
export function countCodePoints(text: string): number {
  return PAIRS.test(text) ? Array.from(text).length : text.length;
}

export function firstCodePoints(text: string, count: number): string {
  // None has more than two units.
  const start = text.slice(0, 2 * count);
  return PAIRS.test(start) ? Array.from(start).slice(0, count).join("") : text.slice(0, count);
}
