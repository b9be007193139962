import { EXTENSION_MARK } from "../document/find-evidence.ts";
import type { SkillIndex } from "../index/skill-index.ts";
import { ClauseComparer } from "./compare-clauses.ts";
import { evidenceIn, findEvidenceTerms } from "./find-evidence-terms.ts";
import { type Candidate, gatherCandidates } from "./gather-candidates.ts";
import type { Message } from "./message.ts";
import type { SignalRow } from "./signals.ts";

/** A candidate and what was measured of it. */
export interface Measured {
  readonly candidate: Candidate;
  readonly signals: SignalRow;
}

/** Everything that the index says about a message and the skills nearest to it; `also` are looked at in any case. */
export function measureSignals(
  index: SkillIndex,
  message: Message,
  also: readonly { readonly place: number; readonly skill: number }[] = [],
): readonly Measured[] {
  const { candidates, terms } = gatherCandidates(index, message, also);
  const isExtension = (term: string): boolean => term.startsWith(EXTENSION_MARK);
  const extensions = findEvidenceTerms(index, message.evidence.filter(isExtension));
  const commands = findEvidenceTerms(
    index,
    message.evidence.filter((term) => !isExtension(term)),
  );
  return index.parts.flatMap((part, place) => {
    const own = candidates.filter((candidate) => candidate.place === place);
    if (own.length === 0) return [];
    const comparer = new ClauseComparer(part, { message, terms, place });
    try {
      return own.map((candidate) => ({
        candidate,
        signals: {
          ...comparer.compare(candidate.skill),
          relevance: candidate.relevance,
          coverage: candidate.coverage,
          command: evidenceIn(part, candidate, commands),
          extension: evidenceIn(part, candidate, extensions),
        },
      }));
    } finally {
      comparer.release();
    }
  });
}
