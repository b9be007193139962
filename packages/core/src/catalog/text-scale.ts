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
  // Filled as characters turn up; nothing weighs 0. Pairs are never escaped, so all of them weigh the same.
  const weights = new Uint8Array(0x10000);
  const pairWeight = weigh("\u{1f9c0}");

  function weighNew(text: string, unit: number): number {
    if (unitsAt(text, unit) === 2) return pairWeight;
    const weight = weigh(escapeText(text.charAt(unit)));
    const code = text.charCodeAt(unit);
    // The weight of half a surrogate pair must not be taken for that of a whole one.
    if (code < 0xd800 || code > 0xdfff) weights[code] = weight;
    return weight;
  }

  function weighAt(text: string, unit: number): number {
    return weights[text.charCodeAt(unit)] || weighNew(text, unit);
  }

  return {
    weighFirst(text, count) {
      let sum = 0;
      for (let place = 0, unit = 0; place < count; place += 1, unit += unitsAt(text, unit))
        sum += weighAt(text, unit);
      return sum;
    },
    addWeights(sums, { text, codePoints }, count) {
      const hasPairs = codePoints !== text.length;
      for (let place = 0, unit = 0; place < count; place += 1, unit += hasPairs ? unitsAt(text, unit) : 1)
        sums[place] = (sums[place] ?? 0) + weighAt(text, unit);
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
  if (!PAIRS.test(text)) return text.length;
  let count = 0;
  for (let unit = 0; unit < text.length; unit += unitsAt(text, unit)) count += 1;
  return count;
}

export function unitOfCodePoint({ text, codePoints }: MeasuredText, place: number): number {
  if (place >= codePoints) return text.length;
  if (codePoints === text.length) return place;
  let unit = 0;
  for (let point = 0; point < place; point += 1) unit += unitsAt(text, unit);
  return unit;
}

function unitsAt(text: string, unit: number): 1 | 2 {
  const code = text.charCodeAt(unit);
  if (code < 0xd800 || code > 0xdbff) return 1;
  const next = text.charCodeAt(unit + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}
