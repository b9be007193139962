/** A text, and how many code points it has. */
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

/** Where in a text the code point at a place begins. */
export function unitOfCodePoint({ text, codePoints }: MeasuredText, place: number): number {
  if (place >= codePoints) return text.length;
  if (codePoints === text.length) return place;
  let unit = 0;
  for (let point = 0; point < place; point += 1) unit += unitsAt(text, unit);
  return unit;
}

/** Two at the beginning of a surrogate pair, otherwise one. */
export function unitsAt(text: string, unit: number): 1 | 2 {
  const code = text.charCodeAt(unit);
  if (code < 0xd800 || code > 0xdbff) return 1;
  const next = text.charCodeAt(unit + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}
