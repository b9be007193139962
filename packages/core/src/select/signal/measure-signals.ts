import { EXTENSION_MARK } from "../document/find-evidence.ts";
import type { SkillIndex } from "../index/skill-index.ts";
import { ClauseComparer } from "./compare-clauses.ts";
import { evidenceIn, findEvidenceTerms, type SearchTerm } from "./find-search-term.ts";
import { mostOf, scoreOf } from "./fuse-signals.ts";
import { type Candidate, gatherCandidates } from "./gather-candidates.ts";
import type { Message } from "./message.ts";
import { RANK_WEIGHTS } from "./weights.ts";

export interface Measured {
  readonly candidate: Candidate;
  readonly signals: SignalRow;
}

/** So many of the candidates, the best by all other signals, are compared character by character. */
const MAX_BY_CHARACTERS = 64;
const MAX_BY_EXTENSION = 16;

/** Everything that the index says about a message and the skills nearest to it; `also` are looked at in any case. */
export function measureSignals(
  index: SkillIndex,
  message: Message,
  also: readonly { readonly place: number; readonly skill: number }[] = [],
): readonly Measured[] {
  const isExtension = (term: string): boolean => term.startsWith(EXTENSION_MARK);
  const extensions = findEvidenceTerms(index, message.evidence.filter(isExtension));
  const commands = findEvidenceTerms(
    index,
    message.evidence.filter((term) => !isExtension(term)),
  );
  const { candidates, terms, total } = gatherCandidates(index, message, [
    ...also,
    ...extensions.flatMap((term) => skillsWith(index, term)),
  ]);
  const comparers: (ClauseComparer | undefined)[] = index.parts.map(() => undefined);
  const measured: Mutable[] = [];
  try {
    for (const candidate of candidates) {
      const { place, skill, relevance, coverage } = candidate;
      const part = index.parts[place];
      if (part === undefined) continue;
      comparers[place] ??= new ClauseComparer(part, { message, terms, place });
      const found = comparers[place].compare(skill);
      // Written out: a spread of so many numbers for every candidate takes longer than the comparison.
      const signals = {
        relevance,
        coverage,
        characters: 0,
        bigrams: found.bigrams,
        sentence: found.sentence,
        sentenceCoverage: found.sentenceCoverage,
        nameExact: found.nameExact,
        phrase: found.phrase,
        negative: found.negative,
        negativeCoverage: found.negativeCoverage,
        command: evidenceIn(part, candidate, commands),
        extension: evidenceIn(part, candidate, extensions),
        headerLength: found.headerLength,
        messageLength: message.terms.length,
        characterShare: 0,
      };
      measured.push({ candidate, signals });
    }
    for (const { candidate, signals } of bestOf(measured)) {
      signals.characters = comparers[candidate.place]?.compareCharacters(candidate.skill) ?? 0;
      signals.characterShare = signals.characters / total;
    }
  } finally {
    for (const comparer of comparers) comparer?.release();
  }
  return measured;
}

/** Whose files the message names, where they are few: they need not share a word with it. */
function skillsWith(
  { parts }: SkillIndex,
  { numbers, postings }: SearchTerm,
): readonly { readonly place: number; readonly skill: number }[] {
  if (postings > MAX_BY_EXTENSION) return [];
  return parts.flatMap(({ segment }, place) => {
    const term = numbers[place] ?? -1;
    if (term < 0) return [];
    const { postingStarts, postingSkills } = segment;
    return Array.from(postingSkills.subarray(postingStarts[term], postingStarts[term + 1]), (skill) => ({
      place,
      skill,
    }));
  });
}

interface Mutable extends Measured {
  readonly signals: { -readonly [Name in keyof SignalRow]: SignalRow[Name] };
}

function bestOf(measured: readonly Mutable[]): readonly Mutable[] {
  if (measured.length <= MAX_BY_CHARACTERS) return measured;
  const most = mostOf(measured);
  return measured
    .map((one) => ({ one, score: scoreOf(one.signals, most, RANK_WEIGHTS) }))
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_BY_CHARACTERS)
    .map(({ one }) => one);
}

export interface SignalRow {
  /** BM25F over all fields. */
  readonly relevance: number;
  /** The share of the message that the skill has anywhere, rare words counting more. */
  readonly coverage: number;
  /** BM25 over the character 4-grams of the header, which forgives spelling. */
  readonly characters: number;
  /** BM25 over pairs of words of the header. */
  readonly bigrams: number;
  /** The cosine with the nearest sentence of the header, and the share of the message that one sentence has. */
  readonly sentence: number;
  readonly sentenceCoverage: number;
  /** 1 where the message has the whole name, in order. */
  readonly nameExact: number;
  /** How much of a quoted or declared phrase stands in the message in order. */
  readonly phrase: number;
  /** The cosine with the nearest clause about what the skill is not for. */
  readonly negative: number;
  /** The share of the message that one such clause has. */
  readonly negativeCoverage: number;
  /** How telling the rarest command or extension is that both name; between 0 and 1. */
  readonly command: number;
  readonly extension: number;
  /** What decisions go by besides: how many terms the header and the message have, and `characters` by what the message says. */
  readonly headerLength: number;
  readonly messageLength: number;
  readonly characterShare: number;
}
