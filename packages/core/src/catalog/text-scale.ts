/** Weighs descriptions as they will be written, with escapes, but without writing them. */
export interface TextScale {
  weighFirst(text: string, count: number): number;
  /** Adds the weight of each of a text's first `count` code points to the sum at its position. */
  addWeights(sums: Float64Array, measured: MeasuredText, count: number): void;
}

/** A scale for the output of `escapeText`, which must treat every character by itself. */
export function createTextScale(
  escapeText: (text: string) => string,
  weigh: (text: string) => number,
): TextScale {
  // Filled as characters appear: texts use a few dozen of them.
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

/** How many code points a text has; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  return PAIRS.test(text) ? Array.from(text).length : text.length;
}

export function firstCodePoints(text: string, count: number): string {
  // No code point has more than two units.
  const start = text.slice(0, 2 * count);
  return PAIRS.test(start) ? Array.from(start).slice(0, count).join("") : text.slice(0, count);
}
