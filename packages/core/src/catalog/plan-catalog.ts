import { type CatalogDraft, ELLIPSIS } from "./fit-catalog.ts";
import type { MeasuredText, TextScale } from "./text-scale.ts";

export interface CatalogPlan {
  readonly style: CatalogStyle;
  readonly kept: Int32Array;
  readonly note?: string;
  /** More room would not add anything. */
  readonly isWhole: boolean;
}

export const NAME_ONLY = -1;
export const OMITTED = -2;

/** The text around names and descriptions; locations longer than `maxLocation` are left out. */
export interface CatalogStyle {
  readonly guided: boolean;
  readonly maxLocation: number;
}

const WHOLE: CatalogStyle = { guided: true, maxLocation: Number.POSITIVE_INFINITY };
/** A longer path is dropped by itself, so that one long path does not cost all skills their locations. */
const LOCATED: CatalogStyle = { guided: true, maxLocation: 1024 };
const NAMED: CatalogStyle = { guided: true, maxLocation: 0 };
const BARE: CatalogStyle = { guided: false, maxLocation: 0 };

/** Names heavier than this are omitted first, so that one skill cannot push out the rest. */
const MAX_NAME_WEIGHT = 1024;

/**
 * Decides what fits into a limit; a larger limit never lists fewer names.
 *
 * Locations go first, then descriptions, then guidance, then names. A model that loads skills by name needs
 * descriptions more than locations, so locations go before any description is cut; one that may read files
 * keeps them longer. If not all names fit, the most valuable are listed, and a note counts the others.
 */
export function planCatalog(draft: CatalogDraft, limit: number): CatalogPlan {
  if (draft.size + draft.unlisted === 0) return planWhole(draft);
  const mayRead = draft.guidance === "read" || draft.guidance === "none";
  return (
    nameAll(draft, limit, { style: LOCATED, onlyWhole: !mayRead }) ??
    nameAll(draft, limit, { style: NAMED }) ??
    nameAll(draft, limit, { style: BARE }) ??
    nameAll(draft, limit, { style: NAMED, onlyUsual: true }) ??
    nameSome(draft, limit, { style: NAMED, most: draft.size }) ??
    // One name is better than none; a second would have to go again as soon as the guidance fits.
    nameSome(draft, limit, { style: BARE, most: 1 }) ?? { style: BARE, kept: noneKept(draft), isWhole: false }
  );
}

export function planWhole(draft: CatalogDraft): CatalogPlan {
  const kept = Int32Array.from({ length: draft.size }, (_, index) => draft.description(index).codePoints);
  return { style: WHOLE, kept, isWhole: true, ...(draft.unlisted > 0 && { note: draft.note(draft.size) }) };
}

function shownAtMost({ codePoints }: MeasuredText): number {
  return Math.min(codePoints, MAX_DESCRIPTION_CODE_POINTS);
}

function noneKept({ size }: CatalogDraft): Int32Array {
  return new Int32Array(size).fill(OMITTED);
}

/** Names all skills and shares the rest of the room among them; undefined if the names do not all fit. */
function nameAll(
  draft: CatalogDraft,
  limit: number,
  given: { readonly style: CatalogStyle; readonly onlyWhole?: boolean; readonly onlyUsual?: boolean },
): CatalogPlan | undefined {
  const { style, onlyWhole = false, onlyUsual = false } = given;
  const listed: number[] = [];
  let room = roomFor(draft, style, limit);
  // Stops as soon as the answer is known: of a large library, only the part that fits is ever written.
  for (let index = 0; index < draft.size && room >= 0; index += 1) {
    const { weight } = draft.entry(index, style);
    if (onlyUsual && weight > MAX_NAME_WEIGHT) continue;
    room -= weight;
    listed.push(index);
  }
  const isNoted = listed.length < draft.size + draft.unlisted;
  if (isNoted) room -= noteWeight(draft, listed.length);
  if (room < 0 || (onlyUsual && listed.length === 0)) return undefined;
  const fits = fitsWhole(draft, listed, room);
  if (onlyWhole && !fits) return undefined;
  const kept = noneKept(draft);
  for (const index of listed) kept[index] = fits ? shownAtMost(draft.description(index)) : NAME_ONLY;
  if (!fits) describeSome(draft, kept, room);
  const isWhole = fits && style.maxLocation > 0 && !onlyUsual;
  return { style, kept, isWhole, ...(isNoted && { note: draft.note(listed.length) }) };
}

/** Names as many of the most valuable skills as fit beside the note; undefined if none fits. */
function nameSome(
  draft: CatalogDraft,
  limit: number,
  { style, most }: { readonly style: CatalogStyle; readonly most: number },
): CatalogPlan | undefined {
  const kept = noneKept(draft);
  let room = roomFor(draft, style, limit);
  let listed = 0;
  // Written one by one, so that skills after the last fitting one are never touched.
  for (const index of draft.order()) {
    const { weight } = draft.entry(index, style);
    if (weight > MAX_NAME_WEIGHT) continue;
    if (listed === most || weight + noteWeight(draft, listed + 1) > room) break;
    kept[index] = NAME_ONLY;
    room -= weight;
    listed += 1;
  }
  if (room < noteWeight(draft, listed) || (style.guided && listed === 0)) return undefined;
  return { style, kept, isWhole: false, note: draft.note(listed) };
}

/** The room for entries; each part counts a separator, though there is one fewer separator than parts. */
function roomFor({ form, weigh, start }: CatalogDraft, style: CatalogStyle, limit: number): number {
  return limit - weigh(start(style)) - weigh(form.end) + weigh(form.separator);
}

// By far the most common case; writing the descriptions is faster than weighing their parts.
function fitsWhole(draft: CatalogDraft, listed: readonly number[], room: number): boolean {
  const { description, written, weigh, scale, form } = draft;
  let left = room - listed.length * (weigh(form.descriptionStart) + weigh(form.descriptionEnd));
  // A code point weighs at least 1, so a text that cannot fit is never written.
  let least = 0;
  for (const index of listed) {
    least += shownAtMost(description(index));
    if (least > left) return false;
  }
  for (const index of listed) {
    const { text, codePoints } = description(index);
    left -=
      codePoints <= MAX_DESCRIPTION_CODE_POINTS
        ? weigh(written(index))
        : scale.weighFirst(text, MAX_DESCRIPTION_CODE_POINTS) + weigh(ELLIPSIS);
    if (left < 0) return false;
  }
  return true;
}

/** Shares the room among all listed skills or, if that leaves each too little, among the most valuable. */
function describeSome(draft: CatalogDraft, kept: Int32Array, room: number): void {
  const order = draft.order().filter((index) => kept[index] !== OMITTED);
  if (describe(draft, { kept, chosen: order, room })) return;
  const chosen: number[] = [];
  let left = room;
  for (const index of order) {
    left -= usableWeight(draft, index);
    if (left < 0) break;
    chosen.push(index);
  }
  describe(draft, { kept, chosen, room });
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

/** Shares the room among the descriptions of the chosen entries; false if some would get too little. */
function describe(
  { form, weigh, scale, description }: CatalogDraft,
  given: { readonly kept: Int32Array; readonly chosen: readonly number[]; readonly room: number },
): boolean {
  const { kept, chosen } = given;
  const markup = weigh(form.descriptionStart) + weigh(form.descriptionEnd);
  const room = given.room - markup * chosen.length;
  const level = findLevel(chosen.map(description), { room, scale, ellipsisWeight: weigh(ELLIPSIS) });
  if (level === undefined) return false;
  for (const index of chosen) kept[index] = Math.min(description(index).codePoints, level);
  return true;
}

/** A shorter piece of a description adds little to the name; only uncut descriptions may be shorter. */
export const MIN_DESCRIPTION_CODE_POINTS = 80;

/** A budgeted catalogue shows no more of a description, however much room there is; the rest is padding. */
const MAX_DESCRIPTION_CODE_POINTS = 1536;

/**
 * The most code points that each text can keep if all are cut alike; undefined if there is not even room for
 * `MIN_DESCRIPTION_CODE_POINTS` of each.
 *
 * One pass over the texts weighs every level; giving out one character per round would take a pass per level.
 */
export function findLevel(
  texts: readonly MeasuredText[],
  shared: { readonly room: number; readonly scale: TextScale; readonly ellipsisWeight: number },
): number | undefined {
  const longer = countLonger(texts);
  const top = highestLevel(longer, shared.room);
  if (top < MIN_DESCRIPTION_CODE_POINTS) return undefined;
  const sums = new Float64Array(top);
  for (const text of texts) shared.scale.addWeights(sums, text, Math.min(text.codePoints, top));
  let level: number | undefined;
  let weight = 0;
  for (let candidate = 0; candidate <= top; candidate += 1) {
    const fits = weight + shared.ellipsisWeight * (longer[candidate] ?? 0) <= shared.room;
    if (fits && candidate >= MIN_DESCRIPTION_CODE_POINTS) level = candidate;
    weight += sums[candidate] ?? 0;
  }
  return level;
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

/** No higher level can fit, since a code point weighs at least 1: avoids scanning text that has no room. */
function highestLevel(longer: Int32Array, room: number): number {
  let weight = 0;
  for (let level = 0; level < MAX_DESCRIPTION_CODE_POINTS; level += 1) {
    weight += longer[level] ?? 0;
    if (weight > room) return level;
  }
  return MAX_DESCRIPTION_CODE_POINTS;
}
