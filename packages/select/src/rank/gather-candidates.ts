import { compareByteOrder } from "@skillet/kit/order";
import { splitWords, stemWord } from "@skillet/kit/words";
import { WEIGHTS } from "../index/index-builder.ts";
import { findTerm, packedWeight, type SearchTerm, type SkillIndex } from "../index/skill-index.ts";
import type { Message } from "../text/message.ts";
import { nearTerms } from "../text/near-words.ts";
import { isFunctionWord } from "../text/usual-shares.ts";

/** So many skills are looked at closely for one message. */
const MAX_CANDIDATES = 120;

/**
 * So many postings are added up for one message, or as many as there are skills, up to the most; of the commonest words
 * beyond, only what candidates have counts.
 */
const MIN_POSTINGS = 12_000;
const MAX_POSTINGS = 150_000;

/** The saturation of BM25F: the tenth time that a word comes, it says nothing new. */
const SATURATION = 5;
const SATURATED: Float32Array = WEIGHTS.map((weight) => weight / (weight + SATURATION));

/** The weight of a term in a skill, saturated; 0 where it has none. */
export function saturatedWeight(index: SkillIndex, term: number, skill: number): number {
  return SATURATED[packedWeight(index, term, skill)] ?? 0;
}

/** How much a word says about another that means about the same, and for finding candidates, where several add up. */
export const NEAR_SHARE = 0.75;
const GATHERED_SHARE = 0.25;

/** A text of so many different words is an ordinary one; longer ones have any word sooner. */
const USUAL_TERMS = 100;
/** What a word of how something is said has to make up for in a long text, by what another word has to. */
const MANNER_SHARE = 0.25;
/** How much the likelihoods of texts differ is damped: words of a message are not independent of each other. */
const DAMPING = 4;

/** The likelihood of a message by the words of a skill, smoothed as Dirichlet has it, by how usual words are in all skills. */
export function likelihoodOf(index: SkillIndex, skill: number, terms: readonly MessageTerm[]): number {
  const lengthPenalty = Math.log(USUAL_TERMS / ((index.termCounts[skill] ?? 0) + USUAL_TERMS));
  let sum = 0;
  for (const { number, odds, isTopic } of terms) {
    const packed = number < 0 ? -1 : packedWeight(index, number, skill);
    if (packed >= 0) sum += Math.log(1 + (WEIGHTS[packed] as number) * odds);
    sum += isTopic ? lengthPenalty : lengthPenalty * MANNER_SHARE;
  }
  return Math.exp(sum / DAMPING);
}

/** What a message and a skill have in common. A class: a message makes hundreds of these, and objects that are spread take long. */
export class Candidate {
  readonly skill: number;
  /** It is asked for, or has a word of the message that not every message has. */
  isTold = false;
  /** BM25F over all fields, by what the message is about. */
  relevance: number;
  /** The share of that which the skill has anywhere, rare words counting more; between 0 and 1. */
  coverage: number;
  /** How likely a text like the skill's is to have the words of the message: a long one has any word sooner. */
  likelihood = 0;
  /** BM25 over the character 4-grams of the header, which forgives spelling. */
  characters = 0;
  /** BM25 over pairs of words of the header. */
  bigrams = 0;
  /** The share of the message that one sentence of the header, or one sample message, has. */
  sentenceCoverage = 0;
  /** The share of the message that one of its sample messages has. */
  sample = 0;
  /** The share of its name that the message has. */
  nameShare = 0;
  /** 1 where the message has the whole name, in order. */
  nameExact = 0;
  /** The message has all words of its name, in any order and form. */
  isNamed = false;
  /** How much the words of its name are worth, where the message has all of it. */
  named = 0;
  /** Its whole name is all that the message is about. */
  isSubject = false;
  /** How much of a quoted or declared phrase stands in the message in order. */
  phrase = 0;
  /** Of clauses about what the skill is not for: the message's share in them, and in them alone. */
  negativeCoverage = 0;
  negativeOnly = 0;
  /** 1 where the message asks about a thing and wants nothing done. */
  question = 0;
  /** How much of what the message rules out the skill is about. */
  ruledOut = 0;
  /** How telling the rarest extension is that both name; between 0 and 1. */
  extension = 0;
  /** Above 0 where the skill declares the verb of an order that says little else. */
  verb = 0;
  /** How like the words of the header are to those of the message, which may be other forms; between 0 and 1. */
  likeness = 1;
  /** How many telling words it shares with the message, see `tellingOf`; those of its instructions count half. */
  telling = 0;
  /** Above 0 where two words of it, common ones too, stand side by side in both. */
  paired = 0;
  /** What it lacks of an order, by terms of the message: what is to be done something to, or to be made of it. */
  lacks: readonly number[] = [];
  /** The share of the message in those of them that other skills are named after. */
  lacked = 0;
  /** It lacks that or the verb, as far as these say anything. */
  lacksOrder = false;
  /** The same, where the message says nothing else. */
  lacksAll = false;
  /** Whether it makes what an order wants made; false where it only makes something else of that. */
  makesResult: boolean | undefined;
  /** For decisions: the terms of the header, its phrases and the message, and `characters` by the weight of the message. */
  headerLength = 0;
  quotedLength = 0;
  messageLength = 0;
  characterShare = 0;

  constructor(skill: number, relevance: number, coverage: number) {
    this.skill = skill;
    this.relevance = relevance;
    this.coverage = coverage;
  }
}

/** A term of a message; `isTopic` where it says what the message is about, not how that is said. */
export interface MessageTerm extends SearchTerm {
  readonly isTopic: boolean;
  /** How many skills there are to each that has it. */
  readonly odds: number;
  /** Those of the index that mean about the same. */
  readonly near: readonly number[];
}

/** Finds the message's terms and the skills that share most with it by BM25F; `also` are among them in any case. */
export function gatherCandidates(
  index: SkillIndex,
  message: Message,
  also: ReadonlySet<number>,
): {
  readonly candidates: readonly Candidate[];
  readonly terms: readonly MessageTerm[];
  /** How much the words are worth that the message is about. */
  readonly total: number;
} {
  // How something is said finds skills that talk a lot. Only where there is nothing else does it count.
  const isAboutNothing = message.terms.every(isFunctionWord);
  // What a file or a site is called says nothing, unless a skill has the word.
  const fileNames = new Set(
    [...message.files, ...message.hosts].flatMap((file) => splitWords(file).slice(0, -1).map(stemWord)),
  );
  const terms = message.terms.map((term): MessageTerm => {
    const found = findTerm(index, term);
    const isName = found.number < 0 && fileNames.has(term);
    const isTopic = isAboutNothing || !(isName || isFunctionWord(term));
    const near = Array.from(isTopic ? nearTerms(term) : [], index.numberOf).filter((number) => number >= 0);
    return { ...found, ...(isName && { rarity: 0 }), isTopic, odds: Math.exp(found.rarity), near };
  });
  const topic = terms.filter(({ isTopic }) => isTopic);
  const total = topic.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  let left = Math.min(MAX_POSTINGS, Math.max(MIN_POSTINGS, index.size));
  // The rarest are added up for all skills.
  const late = topic
    .toSorted((one, other) => one.postings - other.postings)
    .filter((term, place) => {
      left -= term.postings;
      const isLate = left < 0 && place > 0;
      if (!isLate) addUp(index, term);
      for (const number of isLate ? [] : term.near)
        addUp(index, { number, rarity: term.rarity * GATHERED_SHARE }, 0);
      return isLate;
    });
  const candidates = takeFound(index, also);
  for (const candidate of candidates) {
    for (const { number, rarity } of late) {
      const weight = saturatedWeight(index, number, candidate.skill);
      if (weight === 0) continue;
      candidate.relevance += rarity * weight;
      candidate.coverage += rarity;
    }
    candidate.isTold = also.has(candidate.skill) || (!isAboutNothing && candidate.relevance > 0);
    candidate.coverage /= total;
  }
  return { candidates, terms, total };
}

function addUp(
  index: SkillIndex,
  { number, rarity }: Pick<SearchTerm, "number" | "rarity">,
  share: number = rarity,
): void {
  const { postingStarts, postingSkills, postingWeights, scores, shares } = index;
  const end = postingStarts[number + 1] ?? 0;
  for (let at = postingStarts[number] ?? 0; at < end; at += 1) {
    const skill = postingSkills[at] as number;
    const weight = SATURATED[postingWeights[at] as number] as number;
    scores[skill] = (scores[skill] as number) + rarity * weight;
    shares[skill] = (shares[skill] as number) + share;
  }
}

/** Takes the best, and the others that are asked for, and leaves the working memory clean. */
function takeFound(index: SkillIndex, also: ReadonlySet<number>): readonly Candidate[] {
  const { keys, scores, shares, alive } = index;
  if (alive !== undefined)
    for (let skill = 0; skill < scores.length; skill += 1)
      scores[skill] = (scores[skill] as number) * (alive[skill] as number);
  const best = takeBest(scores, MAX_CANDIDATES, (skill) => keys[skill] ?? "");
  const asked = [...also].filter((skill) => alive?.[skill] !== 0).sort((left, right) => left - right);
  const found = Array.from(
    new Set([...best, ...asked]),
    (skill) => new Candidate(skill, scores[skill] as number, shares[skill] as number),
  );
  scores.fill(0);
  shares.fill(0);
  return found;
}

/** The places of the best scores above 0, in order; of equal ones the first by key, whatever order they came in. */
export function takeBest(
  scores: Float32Array,
  count: number,
  keyOf: (place: number) => string,
): readonly number[] {
  const scoreAt = (place: number): number => scores[place] as number;
  const compare = (left: number, right: number): number =>
    scoreAt(right) - scoreAt(left) || compareByteOrder(keyOf(left), keyOf(right));
  // Nearly all of a large library are no better than the last of the best: one look at that is all that they take.
  const best: number[] = [];
  for (let place = 0; place < scores.length; place += 1) {
    if (scoreAt(place) <= 0) continue;
    let at = best.length;
    while (at > 0 && compare(place, best[at - 1] as number) < 0) at -= 1;
    if (at < count) best.splice(at, 0, place);
    if (best.length > count) best.pop();
  }
  return best;
}
