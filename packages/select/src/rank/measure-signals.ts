import {
  eachClause,
  findTerm,
  NAME_KIND,
  packedWeight,
  rarityOf,
  type SearchTerm,
  type SkillIndex,
} from "../index/skill-index.ts";
import { EXTENSION_MARK, VERB_MARK } from "../text/find-evidence.ts";
import type { Message } from "../text/message.ts";
import { termOf } from "../text/term-table.ts";
import { isFunctionWord } from "../text/usual-shares.ts";
import { ClauseComparer } from "./compare-clauses.ts";
import { type Candidate, gatherCandidates, likelihoodOf, saturatedWeight } from "./gather-candidates.ts";
import { RANK_WEIGHTS, type RankWeights } from "./weights.ts";

/** What a message and a skill have in common. A class: a message makes hundreds of these, and objects that are spread take long. */
export class Signals {
  /** BM25F over all fields, by what the message is about. */
  relevance = 0;
  /** The share of that which the skill has anywhere, rare words counting more. */
  coverage = 0;
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
  /** How many words the header shares with the message, everyday ones aside; common ones count half. */
  telling = 0;
  /** For decisions: the terms of the header, its phrases and the message, and `characters` by the weight of the message. */
  headerLength = 0;
  quotedLength = 0;
  messageLength = 0;
  characterShare = 0;
}

export interface Measured {
  readonly candidate: Candidate;
  readonly signals: Readonly<Signals>;
}

/** Of so many candidates, the best by all other signals, characters are compared and the likelihood is taken. */
const MAX_COMPARED_CLOSELY = 64;
const MAX_BY_EVIDENCE = 16;

/** Everything that the index says about a message and the skills nearest to it; `also` are looked at in any case. */
export function measureSignals(
  index: SkillIndex,
  message: Message,
  also: readonly number[] = [],
): readonly Measured[] {
  const extensions = findEvidenceTerms(index, EXTENSION_MARK, message.extensions);
  const verbs = findEvidenceTerms(index, VERB_MARK, message.lead === undefined ? [] : [message.lead]);
  const asked = new Set([...also, ...[...extensions, ...verbs].flatMap((term) => skillsWith(index, term))]);
  const { candidates, terms, total } = gatherCandidates(index, message, asked);
  const ruledOut = [...new Set(message.ruledOut)]
    .filter((term) => !isFunctionWord(term))
    .map((term) => findTerm(index, term));
  const ruledOutTotal = total + ruledOut.reduce((sum, { rarity }) => sum + rarity, 0);
  const isRuledOut = createNameTest(index, message.ruledOut);
  const comparer = new ClauseComparer(index, message, { terms, total });
  try {
    const measured = candidates.flatMap((candidate) => {
      const { skill, relevance, coverage } = candidate;
      if (isRuledOut(skill)) return [];
      const signals = new Signals();
      signals.relevance = relevance;
      signals.coverage = coverage;
      signals.question = message.isQuestionAbout ? 1 : 0;
      signals.messageLength = message.terms.length;
      signals.extension = evidenceIn(index, skill, extensions);
      signals.verb = evidenceIn(index, skill, verbs);
      for (const { number, rarity } of ruledOut)
        signals.ruledOut += (rarity * saturatedWeight(index, number, skill)) / ruledOutTotal;
      comparer.compare(skill, signals);
      return { candidate, signals };
    });
    for (const { candidate, signals } of bestOf(measured)) {
      signals.characters = comparer.compareCharacters(candidate.skill) * signals.likeness;
      signals.characterShare = signals.characters / total;
      signals.likelihood = likelihoodOf(index, candidate.skill, terms) * signals.likeness;
    }
    return measured;
  } finally {
    comparer.release();
  }
}

function createNameTest(index: SkillIndex, terms: readonly string[]): (skill: number) => boolean {
  const numbers = new Set(terms.map(index.numberOf));
  return (skill) => {
    let isNamed = false;
    if (numbers.size > 0)
      eachClause(index, skill, (kind, start, end) => {
        if (kind === NAME_KIND)
          isNamed = index.clauseTerms.subarray(start, end).every((word) => numbers.has(termOf(word)));
      });
    return isNamed;
  };
}

function bestOf<One extends Measured>(measured: readonly One[]): readonly One[] {
  if (measured.length <= MAX_COMPARED_CLOSELY) return measured;
  const most = mostOf(measured);
  const scores = Float64Array.from(measured, ({ signals }) => scoreOf(signals, most, RANK_WEIGHTS));
  const least = scores.toSorted().at(-MAX_COMPARED_CLOSELY) ?? 0;
  return measured.filter((_, place) => (scores[place] as number) >= least);
}

/** Whose files or verbs the message has, where they are few: they need not share a word with it. */
function skillsWith(index: SkillIndex, { number, postings }: SearchTerm): readonly number[] {
  if (postings > MAX_BY_EVIDENCE) return [];
  const { postingStarts, postingSkills } = index;
  return Array.from(postingSkills.subarray(postingStarts[number], postingStarts[number + 1]));
}

/** Evidence of a message in the index; how rare it is counts by how many skills have it. */
function findEvidenceTerms(
  index: SkillIndex,
  mark: string,
  evidence: readonly string[],
): readonly SearchTerm[] {
  return evidence
    .map((term) => findTerm(index, mark + term))
    .filter(({ postings }) => postings > 0)
    .map((term) => ({ ...term, rarity: rarityOf(term.postings, index.size) / rarityOf(1, index.size) }));
}

/** How telling the rarest evidence is that a skill and the message both have; 0 for none. */
function evidenceIn(index: SkillIndex, skill: number, terms: readonly SearchTerm[]): number {
  let most = 0;
  for (const { number, rarity } of terms)
    if (rarity > most && packedWeight(index, number, skill) >= 0) most = rarity;
  return most;
}

export interface Fused extends Measured {
  readonly score: number;
}

/** Puts candidates in order: each signal by its weight, on one scale whatever the message. */
export function fuseSignals(
  measured: readonly Measured[],
  options: {
    readonly weights?: RankWeights;
    readonly priorOf?: (measured: Measured) => number;
    /** Which comes first of two with the same score; else the order of the index decides, which is that of a library. */
    readonly compareTies?: (left: Candidate, right: Candidate) => number;
  } = {},
): readonly Fused[] {
  const { weights = RANK_WEIGHTS, priorOf, compareTies } = options;
  const most = mostOf(measured);
  return measured
    .map((one): Fused => {
      const { candidate, signals } = one;
      return { candidate, signals, score: scoreOf(signals, most, weights) + (priorOf?.(one) ?? 0) };
    })
    .sort(
      (left, right) =>
        right.score - left.score ||
        compareTies?.(left.candidate, right.candidate) ||
        left.candidate.skill - right.candidate.skill,
    );
}

export type Most = Pick<Readonly<Signals>, "relevance" | "likelihood" | "characters" | "bigrams">;

export function mostOf(measured: readonly Measured[]): Most {
  const most = { relevance: 0, likelihood: 0, characters: 0, bigrams: 0 };
  for (const { signals } of measured) {
    most.relevance = Math.max(most.relevance, signals.relevance);
    most.likelihood = Math.max(most.likelihood, signals.likelihood);
    most.characters = Math.max(most.characters, signals.characters);
    most.bigrams = Math.max(most.bigrams, signals.bigrams);
  }
  return most;
}

/** The sum of the signals by their weights, written out: it is taken twice for every candidate of every message. */
function scoreOf(signals: Readonly<Signals>, most: Most, weights: RankWeights): number {
  const relevance = shareOf(signals.relevance, most.relevance);
  return (
    weights.likelihood * shareOf(signals.likelihood, most.likelihood) +
    weights.characters * shareOf(signals.characters, most.characters) +
    weights.bigrams * shareOf(signals.bigrams, most.bigrams) +
    weights.coverage * signals.coverage +
    weights.sentenceCoverage * signals.sentenceCoverage +
    weights.nameShare * signals.nameShare +
    weights.nameExact * signals.nameExact +
    weights.phrase * signals.phrase +
    weights.extension * signals.extension +
    weights.agreement * relevance * signals.coverage
  );
}

export function shareOf(value: number, most: number): number {
  return most > 0 ? value / most : 0;
}
