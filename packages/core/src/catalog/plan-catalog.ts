import { type CatalogDraft, ELLIPSIS } from "./fit-catalog.ts";
import { type MeasuredText, type TextScale, unitOfCodePoint } from "./text-scale.ts";

export interface CatalogPlan {
  readonly kept: Int32Array;
  readonly note?: string;
}

export const NAME_ONLY = -1;
export const OMITTED = -2;

/** A name and a path that take more than this are the last to be kept, so that one skill cannot push out the rest. */
const MAX_BARE_WEIGHT = 1024;

/**
 * Decides what fits into a limit; the same or more names with every larger limit.
 *
 * While all names fit, all are there: with descriptions that share what is left, or, where that would leave too little
 * of each, with usable descriptions for the most valuable. When not even names fit, the most valuable skills are kept
 * with usable descriptions, and a note counts the others.
 */
export function planCatalog(draft: CatalogDraft, limit: number): CatalogPlan {
  const { form, weigh } = draft;
  // Every part weighs its separator too, and there is one separator less than parts.
  const room = limit - weigh(form.start) - weigh(form.end) + weigh(form.separator);
  const bareWeight = weighNames(draft, room);
  if (bareWeight > room || draft.unlisted > 0) return keepMostValuable(draft, room);
  return { kept: describeAll(draft, room - bareWeight) };
}

export function planWhole(draft: CatalogDraft): CatalogPlan {
  const kept = Int32Array.from({ length: draft.size }, (_, index) => draft.description(index).codePoints);
  return draft.unlisted > 0 ? { kept, note: draft.note(draft.size) } : { kept };
}

// Stops as soon as the answer is known: of a large library, only what fits is ever written.
function weighNames(draft: CatalogDraft, room: number): number {
  let weight = 0;
  for (let index = 0; index < draft.size && weight <= room; index += 1) weight += draft.entry(index).weight;
  return weight;
}

function describeAll(draft: CatalogDraft, room: number): Int32Array {
  if (fitsWhole(draft, room)) return planWhole(draft).kept;
  const kept = new Int32Array(draft.size).fill(NAME_ONLY);
  const order = draft.order();
  if (describe(draft, { kept, chosen: order, room })) return kept;
  const chosen: number[] = [];
  let left = room;
  for (const index of order) {
    left -= usableWeight(draft, index);
    if (left < 0) break;
    chosen.push(index);
  }
  describe(draft, { kept, chosen, room });
  return kept;
}

// By far the most common case, and writing the descriptions is quicker than weighing their parts.
function fitsWhole({ size, description, written, weigh, form }: CatalogDraft, room: number): boolean {
  const left = room - size * (weigh(form.descriptionStart) + weigh(form.descriptionEnd));
  // A code point weighs at least 1: what cannot fit is not written.
  let least = 0;
  for (let index = 0; index < size; index += 1) {
    const { codePoints } = description(index);
    least += codePoints;
    if (least > left || codePoints > MAX_DESCRIPTION_CODE_POINTS) return false;
  }
  let weight = 0;
  for (let index = 0; index < size && weight <= left; index += 1) weight += weigh(written(index));
  return weight <= left;
}

function keepMostValuable(draft: CatalogDraft, room: number): CatalogPlan {
  const kept = new Int32Array(draft.size).fill(OMITTED);
  const chosen: number[] = [];
  let weight = 0;
  let bareWeight = 0;
  for (const index of usualFirst(draft)) {
    const bare = draft.entry(index).weight;
    const usable = bare + usableWeight(draft, index);
    if (weight + usable + noteWeight(draft, chosen.length + 1) > room) {
      // One bare name is better than none. A second would have to go again as soon as there is room to describe the first.
      if (chosen.length === 0 && bare + noteWeight(draft, 1) <= room) kept[index] = NAME_ONLY;
      break;
    }
    chosen.push(index);
    weight += usable;
    bareWeight += bare;
  }
  const listed = kept.reduce((count, state) => (state === OMITTED ? count : count + 1), chosen.length);
  const left = room - noteWeight(draft, listed);
  if (left < 0) return { kept };
  describe(draft, { kept, chosen, room: left - bareWeight });
  return { kept, note: draft.note(listed) };
}

// Written one by one, so that those after the last that fits are never looked at.
function* usualFirst(draft: CatalogDraft): Generator<number> {
  const oversized: number[] = [];
  for (const index of draft.order()) {
    if (draft.entry(index).weight > MAX_BARE_WEIGHT) oversized.push(index);
    else yield index;
  }
  yield* oversized;
}

function noteWeight({ form, weigh, note }: CatalogDraft, listed: number): number {
  return weigh(note(listed)) + weigh(form.separator);
}

function usableWeight({ scale, form, weigh, description }: CatalogDraft, index: number): number {
  const { text, codePoints } = description(index);
  const ellipsis = codePoints > MIN_DESCRIPTION_CODE_POINTS ? weigh(ELLIPSIS) : 0;
  const start = scale.weighFirst(text, Math.min(codePoints, MIN_DESCRIPTION_CODE_POINTS));
  return weigh(form.descriptionStart) + start + ellipsis + weigh(form.descriptionEnd);
}

/** Lets the chosen entries share the room with their descriptions; false if they cannot all have a usable one. */
function describe(
  { form, weigh, scale, description }: CatalogDraft,
  given: { readonly kept: Int32Array; readonly chosen: readonly number[]; readonly room: number },
): boolean {
  const { kept, chosen } = given;
  const markup = weigh(form.descriptionStart) + weigh(form.descriptionEnd);
  const room = given.room - markup * chosen.length;
  const shares = shareRoom(chosen.map(description), { room, scale, ellipsisWeight: weigh(ELLIPSIS) });
  if (shares === undefined) return false;
  chosen.forEach((index, place) => {
    kept[index] = shares[place] ?? 0;
  });
  return true;
}

/** A shorter piece of a description says little that the name does not; whole ones may be shorter. */
export const MIN_DESCRIPTION_CODE_POINTS = 80;

/** No more of a description is shown under a budget, however much room there is; longer ones are padding. */
export const MAX_DESCRIPTION_CODE_POINTS = 1536;

interface SharedRoom {
  readonly room: number;
  readonly scale: TextScale;
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
