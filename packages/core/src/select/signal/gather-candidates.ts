import { WEIGHTS } from "../index/quantise.ts";
import type { IndexPart, SkillIndex } from "../index/skill-index.ts";
import { findEverywhere, type SearchTerm } from "./find-search-term.ts";
import type { Message } from "./message.ts";
import { packedWeight } from "./packed-weight.ts";
import { scoreReachedBy } from "./score-reached-by.ts";
import { takeApart } from "./take-apart.ts";
import { takeBest } from "./take-best.ts";

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

/** A skill that shares something with a message. */
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
