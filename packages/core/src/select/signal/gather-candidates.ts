import { compareByteOrder } from "@skillet/kit/order";
import type { Segment } from "../index/segment.ts";
import { WEIGHTS } from "../index/segment-builder.ts";
import type { IndexPart, SkillIndex } from "../index/skill-index.ts";
import { findEverywhere, type SearchTerm } from "./find-search-term.ts";
import type { Message } from "./message.ts";

/** So many skills are looked at closely for one message. */
const MAX_CANDIDATES = 120;

/**
 * So many postings are added up for one message, or as many as there are skills, up to the most; of the commonest words
 * beyond, only what candidates have counts.
 */
const MIN_POSTINGS = 12_000;
const MAX_POSTINGS = 150_000;

/** The saturation of BM25F: the tenth time that a word comes, it says nothing new. */
const SATURATION = 2.5;
const SATURATED: Float32Array = WEIGHTS.map((weight) => weight / (weight + SATURATION));

export interface Candidate {
  /** Which part of the index it stands in, and its number there. */
  readonly place: number;
  readonly skill: number;
  /** BM25F over all its fields. */
  readonly relevance: number;
  /** How much of the message it has, rare words counting more; between 0 and 1. */
  readonly coverage: number;
}

/** Finds the message's terms and the skills that share most with it by BM25F; `also` are among them in any case. */
export function gatherCandidates(
  index: SkillIndex,
  message: Message,
  also: readonly { readonly place: number; readonly skill: number }[],
): {
  readonly candidates: readonly Candidate[];
  readonly terms: readonly SearchTerm[];
  /** What the message says in all, rare words counting more. */
  readonly total: number;
} {
  const terms = message.terms.map((term) => findEverywhere(index, term));
  const total = terms.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  const { early, late } = divide(terms, Math.min(MAX_POSTINGS, Math.max(MIN_POSTINGS, index.size)));
  const found: Candidate[] = [];
  const apart: Candidate[] = [];
  index.parts.forEach((part, place) => {
    for (const term of early) addUp(part, term.numbers[place] ?? -1, term.rarity);
    const asked = new Set(also.filter((one) => one.place === place).map(({ skill }) => skill));
    apart.push(...takeApart(part, { place, asked }));
    collectBest(part, { place, asked, found });
  });
  // Where many share the same, which of them are looked at must not depend on the order of the library.
  const best = takeBest(
    found,
    MAX_CANDIDATES,
    ({ place, skill }) => index.parts[place]?.segment.keys[skill] ?? "",
  );
  const asked =
    also.length === 0
      ? []
      : found.filter((one) => also.some((other) => isSame(one, other)) && !best.includes(one));
  const candidates = [...best, ...asked, ...apart].map((candidate) => {
    const segment = index.parts[candidate.place]?.segment;
    const { place, skill } = candidate;
    let { relevance, coverage } = candidate;
    for (const { numbers, rarity } of late) {
      const weight = segment === undefined ? -1 : packedWeight(segment, numbers[place] ?? -1, skill);
      if (weight < 0) continue;
      relevance += rarity * (SATURATED[weight] ?? 0);
      coverage += rarity;
    }
    return { place, skill, relevance, coverage: coverage / total };
  });
  return { candidates, terms, total };
}

function isSame(
  left: { readonly place: number; readonly skill: number },
  right: { readonly place: number; readonly skill: number },
): boolean {
  return left.place === right.place && left.skill === right.skill;
}

/** The rarest terms, as many as may be added up for all skills, and the rest. */
function divide(
  terms: readonly SearchTerm[],
  maxPostings: number,
): {
  readonly early: readonly SearchTerm[];
  readonly late: readonly SearchTerm[];
} {
  const order = terms.toSorted((left, right) => left.postings - right.postings);
  let postings = 0;
  let count = 0;
  for (const term of order) {
    postings += term.postings;
    if (postings > maxPostings && count > 0) break;
    count += 1;
  }
  return { early: order.slice(0, count), late: order.slice(count) };
}

function addUp({ segment, scores, shares }: IndexPart, term: number, rarity: number): void {
  if (term < 0) return;
  const { postingStarts, postingSkills, postingWeights } = segment;
  const end = postingStarts[term + 1] ?? 0;
  for (let index = postingStarts[term] ?? 0; index < end; index += 1) {
    const skill = postingSkills[index] as number;
    const weight = SATURATED[postingWeights[index] as number] as number;
    scores[skill] = (scores[skill] as number) + rarity * weight;
    shares[skill] = (shares[skill] as number) + rarity;
  }
}

/** Takes the best of a part, and leaves its working memory clean. */
function collectBest(
  part: IndexPart,
  into: { readonly place: number; readonly asked: ReadonlySet<number>; readonly found: Candidate[] },
): void {
  const { scores, shares, alive } = part;
  const { place, asked, found } = into;
  // Before the best are counted: what may not be chosen takes nobody's place.
  if (alive !== undefined)
    for (let skill = 0; skill < scores.length; skill += 1)
      scores[skill] = (scores[skill] as number) * (alive[skill] as number);
  const least = scoreReachedBy(scores, MAX_CANDIDATES);
  for (let skill = 0; skill < scores.length; skill += 1) {
    const relevance = scores[skill] as number;
    const isGood = relevance > 0 && relevance >= least;
    if (isGood || (asked.size > 0 && asked.has(skill) && alive?.[skill] !== 0))
      found.push({ place, skill, relevance, coverage: shares[skill] as number });
  }
  scores.fill(0);
  shares.fill(0);
}

const FIRST_STEP = 8;

/**
 * The packed weight of a term in a skill; -1 where it has none.
 *
 * It is asked for terms that most skills have, whose postings lie nearly evenly: the search begins where the skill would
 * stand if they did, and goes on in steps that double.
 */
export function packedWeight(segment: Segment, term: number, skill: number): number {
  if (term < 0) return -1;
  const { postingStarts, postingSkills, postingWeights, keys } = segment;
  const start = postingStarts[term] as number;
  const end = postingStarts[term + 1] as number;
  if (start >= end) return -1;
  let low = start;
  let high = end - 1;
  const guess = start + Math.floor((skill * (end - start)) / keys.length);
  if ((postingSkills[guess] as number) <= skill) {
    low = guess;
    for (let step = FIRST_STEP; low + step <= high; step *= 2) {
      if ((postingSkills[low + step] as number) > skill) high = low + step;
      else low += step;
    }
  } else {
    high = guess;
    for (let step = FIRST_STEP; high - step >= low; step *= 2) {
      if ((postingSkills[high - step] as number) < skill) low = high - step;
      else high -= step;
    }
  }
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = postingSkills[middle] as number;
    if (found === skill) return postingWeights[middle] as number;
    if (found < skill) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

const BUCKETS = 1024;

/**
 * A score that `count` or a few more reach, of those above 0.
 *
 * By a histogram: sorting a hundred thousand scores takes longer than all else that a message costs.
 */
export function scoreReachedBy(scores: Float32Array, count: number): number {
  let most = 0;
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index] as number;
    if (score > most) most = score;
  }
  if (most === 0) return 0;
  const buckets = new Uint32Array(BUCKETS);
  const scale = (BUCKETS - 1) / most;
  for (let index = 0; index < scores.length; index += 1) {
    const bucket = ((scores[index] as number) * scale) | 0;
    buckets[bucket] = (buckets[bucket] as number) + 1;
  }
  let reached = 0;
  for (let bucket = BUCKETS - 1; bucket > 0; bucket -= 1) {
    reached += buckets[bucket] as number;
    // Rounding may put a score just below its bucket's edge.
    if (reached >= count) return (bucket / scale) * (1 - 1e-6);
  }
  return 0;
}

/** So many of those that are set apart are looked at, besides the others. */
const MAX_APART = 16;

/** Takes those that are set apart out of a part before its best are counted: the best of them, and whoever is asked for. */
function takeApart(
  { scores, shares, apart }: IndexPart,
  { place, asked }: { readonly place: number; readonly asked: Set<number> },
): readonly Candidate[] {
  if (apart === undefined) return [];
  const found: Candidate[] = [];
  const best: Candidate[] = [];
  for (let index = 0; index < apart.length; index += 1) {
    const skill = apart[index] as number;
    const relevance = scores[skill] as number;
    const one = { place, skill, relevance, coverage: shares[skill] as number };
    if (asked.delete(skill)) found.push(one);
    else if (relevance > 0) best.push(one);
    scores[skill] = 0;
  }
  best.sort((left, right) => right.relevance - left.relevance || left.skill - right.skill);
  return [...found, ...best.slice(0, MAX_APART)];
}

/**
 * The most relevant, in order; of those that are equally so, the first by key, whatever order they came in.
 *
 * Of a library of copies thousands may be equal at the end of the list, so they are gone through once and not sorted.
 */
export function takeBest<Item extends { readonly relevance: number }>(
  items: readonly Item[],
  count: number,
  keyOf: (item: Item) => string,
): readonly Item[] {
  const compare = (left: Item, right: Item): number =>
    right.relevance - left.relevance || compareByteOrder(keyOf(left), keyOf(right));
  if (items.length <= count) return items.toSorted(compare);
  const least = items.toSorted((left, right) => right.relevance - left.relevance)[count - 1]?.relevance ?? 0;
  const above = items.filter(({ relevance }) => relevance > least).sort(compare);
  const equal: Item[] = [];
  for (const item of items)
    if (item.relevance === least) insert(equal, item, { count: count - above.length, compare });
  return [...above, ...equal];
}

function insert<Item>(
  kept: Item[],
  item: Item,
  { count, compare }: { readonly count: number; readonly compare: (left: Item, right: Item) => number },
): void {
  const last = kept.at(-1);
  if (kept.length >= count && last !== undefined && compare(last, item) <= 0) return;
  const place = kept.findIndex((one) => compare(item, one) < 0);
  kept.splice(place < 0 ? kept.length : place, 0, item);
  if (kept.length > count) kept.pop();
}
