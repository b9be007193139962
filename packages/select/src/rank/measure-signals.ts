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
import { LACKING_COST, RANK_WEIGHTS, type RankWeights, REVERSED_COST } from "./weights.ts";

/** Of so many candidates, the best by all other signals, characters are compared and the likelihood is taken. */
const MAX_COMPARED_CLOSELY = 64;
const MAX_BY_EVIDENCE = 16;

/** Everything that the index says about a message and the skills nearest to it; `also` are looked at in any case. */
export function measureSignals(
  index: SkillIndex,
  message: Message,
  also: readonly number[] = [],
): readonly Candidate[] {
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
    const measured = candidates.filter(({ skill }) => !isRuledOut(skill));
    for (const candidate of measured) {
      const { skill } = candidate;
      candidate.question = message.isQuestionAbout ? 1 : 0;
      candidate.messageLength = message.terms.length;
      candidate.extension = evidenceIn(index, skill, extensions);
      candidate.verb = evidenceIn(index, skill, verbs);
      for (const { number, rarity } of ruledOut)
        candidate.ruledOut += (rarity * saturatedWeight(index, number, skill)) / ruledOutTotal;
      comparer.compare(candidate);
    }
    const subject = comparer.rateSubject(message);
    for (const candidate of measured) {
      // Sums of the same numbers in another order differ in their last digits.
      candidate.isSubject = subject > 0 && candidate.named >= subject * 0.999;
      candidate.lacked = comparer.rateLacked(candidate);
    }
    for (const candidate of bestOf(measured)) {
      candidate.characters = comparer.compareCharacters(candidate.skill) * candidate.likeness;
      candidate.characterShare = candidate.characters / total;
      candidate.likelihood = likelihoodOf(index, candidate.skill, terms) * candidate.likeness;
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

function bestOf(measured: readonly Candidate[]): readonly Candidate[] {
  if (measured.length <= MAX_COMPARED_CLOSELY) return measured;
  const most = mostOf(measured);
  const scores = Float64Array.from(measured, (one) => scoreOf(one, most, RANK_WEIGHTS));
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

export interface Fused {
  readonly candidate: Candidate;
  readonly score: number;
}

/** Puts candidates in order: each signal by its weight, on one scale whatever the message. */
export function fuseSignals(
  measured: readonly Candidate[],
  options: {
    readonly weights?: RankWeights;
    readonly priorOf?: (candidate: Candidate) => number;
    /** Which comes first of two with the same score; else the order of the index decides, which is that of a library. */
    readonly compareTies?: (left: Candidate, right: Candidate) => number;
  } = {},
): readonly Fused[] {
  const { weights = RANK_WEIGHTS, priorOf, compareTies } = options;
  const most = mostOf(measured);
  const scored = measured.map((candidate) => ({ candidate, score: scoreOf(candidate, most, weights) }));
  const best = (some: readonly Fused[]): number => Math.max(...some.map(({ score }) => score));
  // Just enough to stand before all others; those whose name is the subject keep their order.
  const lift = best(scored) - best(scored.filter(({ candidate }) => candidate.isSubject)) + 0.01;
  return scored
    .map(({ candidate, score }): Fused => {
      const lifted = candidate.isSubject ? score + lift : score;
      return { candidate, score: lifted + (priorOf?.(candidate) ?? 0) };
    })
    .sort(
      (left, right) =>
        right.score - left.score ||
        compareTies?.(left.candidate, right.candidate) ||
        left.candidate.skill - right.candidate.skill,
    );
}

export type Most = Pick<Readonly<Candidate>, "relevance" | "likelihood" | "characters" | "bigrams">;

export function mostOf(measured: readonly Candidate[]): Most {
  const most = { relevance: 0, likelihood: 0, characters: 0, bigrams: 0 };
  for (const signals of measured) {
    most.relevance = Math.max(most.relevance, signals.relevance);
    most.likelihood = Math.max(most.likelihood, signals.likelihood);
    most.characters = Math.max(most.characters, signals.characters);
    most.bigrams = Math.max(most.bigrams, signals.bigrams);
  }
  return most;
}

/** The sum of the signals by their weights, written out: it is taken twice for every candidate of every message. */
function scoreOf(signals: Readonly<Candidate>, most: Most, weights: RankWeights): number {
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
    weights.agreement * relevance * signals.coverage -
    (signals.makesResult === false ? REVERSED_COST : 0) -
    LACKING_COST * signals.lacked
  );
}

export function shareOf(value: number, most: number): number {
  return most > 0 ? value / most : 0;
}
