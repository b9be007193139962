import {
  eachClause,
  findTerm,
  NAME_KIND,
  packedWeight,
  rarityOf,
  type SearchTerm,
  type SkillIndex,
} from "../index/skill-index.ts";
import { COMMAND_MARK, EXTENSION_MARK, VERB_MARK } from "../text/find-evidence.ts";
import type { Message } from "../text/message.ts";
import { termOf } from "../text/term-table.ts";
import { isFunctionWord } from "../text/usual-shares.ts";
import { ClauseComparer } from "./compare-clauses.ts";
import { type Candidate, gatherCandidates, likelihoodOf, saturatedWeight } from "./gather-candidates.ts";
import { mostOf, scoreOf } from "./score-signals.ts";
import { RANK_WEIGHTS } from "./weights.ts";

export interface Signals {
  /** BM25F over all fields, by what the message is about. */
  relevance: number;
  /** The share of that which the skill has anywhere, rare words counting more. */
  coverage: number;
  /** How likely a text like the skill's is to have the words of the message: a long one has any word sooner. */
  likelihood: number;
  /** BM25 over the character 4-grams of the header, which forgives spelling. */
  characters: number;
  /** BM25 over pairs of words of the header. */
  bigrams: number;
  /** The share of the message that one sentence of the header, or one sample message, has. */
  sentenceCoverage: number;
  /** The share of the message that one of its sample messages has. */
  sample: number;
  /** The share of its name that the message has. */
  nameShare: number;
  /** 1 where the message has the whole name, in order. */
  nameExact: number;
  /** How much of a quoted or declared phrase stands in the message in order. */
  phrase: number;
  /** Of clauses about what the skill is not for: the message's share in them, and in them alone. */
  negativeCoverage: number;
  negativeOnly: number;
  /** 1 where the message asks about a thing and wants nothing done. */
  question: number;
  /** How much of what the message rules out the skill is about. */
  ruledOut: number;
  /** How telling the rarest command or extension is that both name; between 0 and 1. */
  command: number;
  extension: number;
  /** Above 0 where the skill declares the verb of an order that says little else. */
  verb: number;
  /** How like the words of the header are to those of the message, which may be other forms; between 0 and 1. */
  likeness: number;
  /** How many words the header shares with the message, everyday ones aside; common ones count half. */
  telling: number;
  /** For decisions: the terms of the header, its phrases and the message, and `characters` by the weight of the message. */
  headerLength: number;
  quotedLength: number;
  messageLength: number;
  characterShare: number;
}

export interface Measured {
  readonly candidate: Candidate;
  readonly signals: Readonly<Signals>;
}

/** Of so many candidates, the best by all other signals, characters are compared and the likelihood is taken. */
const MAX_COMPARED_CLOSELY = 64;
const MAX_BY_EXTENSION = 16;

/** Everything that the index says about a message and the skills nearest to it; `also` are looked at in any case. */
export function measureSignals(
  index: SkillIndex,
  message: Message,
  also: readonly number[] = [],
): readonly Measured[] {
  const find = (mark: string): readonly SearchTerm[] =>
    findEvidenceTerms(
      index,
      message.evidence.filter((term) => term.startsWith(mark)),
    );
  const [extensions, commands, verbs] = [find(EXTENSION_MARK), find(COMMAND_MARK), find(VERB_MARK)];
  const asked = new Set([...also, ...[...extensions, ...verbs].flatMap((term) => skillsWith(index, term))]);
  const { candidates, terms, total } = gatherCandidates(index, message, asked);
  const comparer = new ClauseComparer(index, message, { terms, total });
  const ruledOut = [...new Set(message.ruledOut)]
    .filter((term) => !isFunctionWord(term))
    .map((term) => findTerm(index, term));
  const ruledOutTotal = total + ruledOut.reduce((sum, { rarity }) => sum + rarity, 0);
  try {
    const isRuledOut = createNameTest(index, message.ruledOut);
    const measured: { readonly candidate: Candidate; readonly signals: Signals }[] = [];
    for (const candidate of candidates) {
      if (isRuledOut(candidate.skill)) continue;
      // Spelled out: a message makes hundreds of these, and spreading would take longer than all that fills them.
      const signals: Signals = {
        relevance: candidate.relevance,
        coverage: candidate.coverage,
        likelihood: 0,
        characters: 0,
        bigrams: 0,
        sentenceCoverage: 0,
        sample: 0,
        nameShare: 0,
        nameExact: 0,
        phrase: 0,
        negativeCoverage: 0,
        negativeOnly: 0,
        question: message.isQuestionAbout ? 1 : 0,
        command: evidenceIn(index, candidate.skill, commands),
        ruledOut: ruledOut.reduce(
          (sum, { number, rarity }) =>
            sum + (rarity * saturatedWeight(index, number, candidate.skill)) / ruledOutTotal,
          0,
        ),
        extension: evidenceIn(index, candidate.skill, extensions),
        verb: evidenceIn(index, candidate.skill, verbs),
        likeness: 1,
        telling: 0,
        headerLength: 0,
        quotedLength: 0,
        messageLength: message.terms.length,
        characterShare: 0,
      };
      comparer.compare(candidate.skill, signals);
      measured.push({ candidate, signals });
    }
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

/** Whose files the message names, where they are few: they need not share a word with it. */
function skillsWith(index: SkillIndex, { number, postings }: SearchTerm): readonly number[] {
  if (postings > MAX_BY_EXTENSION) return [];
  const { postingStarts, postingSkills } = index;
  return Array.from(postingSkills.subarray(postingStarts[number], postingStarts[number + 1]));
}

/** The message's commands and extensions in the index; how rare they are counts by how many skills have them. */
export function findEvidenceTerms(index: SkillIndex, evidence: readonly string[]): readonly SearchTerm[] {
  return evidence
    .map((term) => findTerm(index, term))
    .filter(({ postings }) => postings > 0)
    .map((term) => ({ ...term, rarity: rarityOf(term.postings, index.size) / rarityOf(1, index.size) }));
}

/** How telling the rarest evidence is that a skill and the message both have; 0 for none. */
export function evidenceIn(index: SkillIndex, skill: number, terms: readonly SearchTerm[]): number {
  let most = 0;
  for (const { number, rarity } of terms)
    if (rarity > most && packedWeight(index, number, skill) >= 0) most = rarity;
  return most;
}
