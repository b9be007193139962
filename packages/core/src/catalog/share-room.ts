import { type MeasuredText, unitOfCodePoint } from "./code-points.ts";
import type { TextScale } from "./text-scale.ts";

/** A shorter piece of a description says little that the name does not; whole ones may be shorter. */
export const MIN_DESCRIPTION_CODE_POINTS = 80;

/** No more of a description is shown under a budget, however much room there is; longer ones are padding. */
export const MAX_DESCRIPTION_CODE_POINTS = 1536;

/** How much room there is, and what the texts weigh. */
export interface SharedRoom {
  readonly room: number;
  readonly scale: TextScale;
  /** What stands behind a text that is shortened. */
  readonly ellipsisWeight: number;
}

/**
 * How many code points of each text are kept when all share the room fairly; the first ones get what is left over.
 *
 * Those that are shortened keep the same number or one more, and no whole text is longer. Undefined if there is not
 * even room for `MIN_DESCRIPTION_CODE_POINTS` of each.
 *
 * Every level is weighed in one pass over the texts; giving out one character a round would take as many passes as
 * there are levels.
 */
export function shareRoom(texts: readonly MeasuredText[], shared: SharedRoom): Int32Array | undefined {
  const longer = countLonger(texts);
  const top = highestLevel(longer, shared.room);
  if (top < MIN_DESCRIPTION_CODE_POINTS) return undefined;
  const sums = new Float64Array(top);
  for (const text of texts) shared.scale.addWeights(sums, text, Math.min(text.codePoints, top));

  let level: number | undefined;
  let left = 0;
  let weight = 0;
  for (let candidate = 0; candidate <= top; candidate += 1) {
    const rest = shared.room - weight - shared.ellipsisWeight * (longer[candidate] ?? 0);
    if (candidate >= MIN_DESCRIPTION_CODE_POINTS && rest >= 0) {
      level = candidate;
      left = rest;
    }
    weight += sums[candidate] ?? 0;
  }
  return level === undefined ? undefined : fillUp(texts, { ...shared, room: left }, level);
}

/** How many texts are longer than 0, 1, 2, … code points. */
function countLonger(texts: readonly MeasuredText[]): Int32Array {
  const counts = new Int32Array(MAX_DESCRIPTION_CODE_POINTS + 1);
  for (const { codePoints } of texts) {
    const longest = Math.min(codePoints, MAX_DESCRIPTION_CODE_POINTS + 1) - 1;
    if (longest >= 0) counts[longest] = (counts[longest] ?? 0) + 1;
  }
  for (let length = MAX_DESCRIPTION_CODE_POINTS - 1; length >= 0; length -= 1)
    counts[length] = (counts[length] ?? 0) + (counts[length + 1] ?? 0);
  return counts;
}

/** No level above this can fit, since a code point weighs at least 1: spares looking at text that has no room. */
function highestLevel(longer: Int32Array, room: number): number {
  let weight = 0;
  for (let level = 0; level < MAX_DESCRIPTION_CODE_POINTS; level += 1) {
    weight += longer[level] ?? 0;
    if (weight > room) return level;
  }
  return MAX_DESCRIPTION_CODE_POINTS;
}

function fillUp(texts: readonly MeasuredText[], shared: SharedRoom, level: number): Int32Array {
  const { scale, ellipsisWeight } = shared;
  let left = shared.room;
  return Int32Array.from(texts, (measured) => {
    const { text, codePoints } = measured;
    if (codePoints <= level || level === MAX_DESCRIPTION_CODE_POINTS) return Math.min(codePoints, level);
    const weight = scale.weighAt(text, unitOfCodePoint(measured, level));
    const price = codePoints === level + 1 ? weight - ellipsisWeight : weight;
    if (price > left) return level;
    left -= price;
    return level + 1;
  });
}
