import type { Skill } from "../registry/skill.ts";
import { ExampleTable } from "./fuse/example-table.ts";
import { type Fused, fuseSignals } from "./fuse/fuse-signals.ts";
import { exampleShift, judgeProbability } from "./fuse/judge-probability.ts";
import { CERTAIN } from "./fuse/weights.ts";
import type { OpenedIndex } from "./index/open-index.ts";
import { explainMatch } from "./reasons/explain-match.ts";
import type { SelectContext, SelectedSkill, SelectorOptions } from "./selector.ts";
import { evidenceIn, findEvidenceTerms } from "./signal/find-evidence-terms.ts";
import { findEverywhere } from "./signal/find-search-term.ts";
import { isMentioned } from "./signal/is-mentioned.ts";
import { measureSignals } from "./signal/measure-signals.ts";
import { type Message, readMessage } from "./signal/message.ts";
import { PatternTable, type PlacedPattern } from "./signal/pattern-table.ts";
import { type Prior, priorsOf } from "./signal/priors-of.ts";

/** How many of a message's best are compared with their authors' examples. */
const MAX_REORDERED = 20;

/** Ranks the skills of an opened index; behind `createSelector`. */
export class SkillRanker {
  readonly #opened: OpenedIndex;
  readonly #options: SelectorOptions;
  readonly #patterns: PatternTable;
  readonly #examples = new Map<string, ExampleTable>();

  constructor(opened: OpenedIndex, options: SelectorOptions) {
    this.#opened = opened;
    this.#options = options;
    this.#patterns = new PatternTable(
      opened.index.parts.flatMap(({ segment, isAlive }, place) =>
        segment.patterns
          .filter(({ skill }) => isAlive(skill))
          .map(({ skill, source }) => ({ place, skill, source })),
      ),
    );
  }

  rank(
    text: string,
    { limit, context = {} }: { readonly limit: number; readonly context?: SelectContext },
  ): readonly SelectedSkill[] {
    const message = readMessage(text);
    const { fused, facts } = this.#fuse(message, context);
    const ordered = this.#options.examples === undefined ? fused : this.#reorder(fused, message);
    const [first, second] = ordered;
    const best: SelectedSkill[] = [];
    // Who stands behind another is not likelier than that one, whatever else speaks for it.
    let most = 1;
    for (const one of ordered.slice(0, limit)) {
      const rival = one === first ? second : first;
      const margin = rival === undefined ? one.score : one.score - rival.score;
      for (const found of this.#finish(message, { one, margin, facts })) {
        most = Math.min(most, found.score);
        best.push({ ...found, score: most });
      }
    }
    return best.slice(0, limit);
  }

  /** Examples of its author may lift a skill above one that shares more words with the message. */
  #reorder(fused: readonly Fused[], message: Message): readonly Fused[] {
    const placeOf = new Map<Fused, number>();
    for (const one of fused.slice(0, MAX_REORDERED)) {
      const [skill] = this.#skillsAt(one.candidate);
      const examples = skill === undefined ? undefined : this.#examplesOf(skill)?.evidenceFor(message.text);
      placeOf.set(one, one.score + (examples === undefined ? 0 : exampleShift(examples)));
    }
    const behind = fused.slice(MAX_REORDERED);
    return [...[...placeOf].sort((left, right) => right[1] - left[1]).map(([one]) => one), ...behind];
  }

  #fuse(message: Message, context: SelectContext): Ranking {
    const matched = this.#patterns.match(message.text);
    const hasContext = Object.keys(context).length > 0;
    const facts: RankingFacts = { matched, priors: new Map(), mentioned: new Set() };
    const fused = fuseSignals(measureSignals(this.#opened.index, message, matched), {
      priorOf: ({ candidate, signals }) => {
        if (!hasContext && matched.length === 0 && signals.nameExact === 0) return 0;
        const [skill] = this.#skillsAt(candidate);
        if (skill === undefined) return 0;
        const priors = priorsOf(skill, { ...context, vectorOf: this.#options.vectorOf });
        if (priors.length > 0) facts.priors.set(skill, priors);
        let sum = priors.reduce((total, { score }) => total + score, 0);
        if (signals.nameExact === 1 && isMentioned(skill, message.text)) {
          facts.mentioned.add(skill);
          sum += CERTAIN;
        }
        const isMatched = matched.some(
          ({ place, skill: number }) => place === candidate.place && number === candidate.skill,
        );
        return isMatched ? sum + CERTAIN : sum;
      },
    });
    return { fused, facts };
  }

  #finish(
    message: Message,
    { one, margin, facts }: { readonly one: Fused; readonly margin: number; readonly facts: RankingFacts },
  ): readonly SelectedSkill[] {
    const { candidate, signals } = one;
    const part = this.#opened.index.parts[candidate.place];
    return this.#skillsAt(candidate).map((skill) => {
      const score = judgeProbability(one, {
        margin,
        examples: this.#examplesOf(skill)?.evidenceFor(message.text),
      });
      const evidence = message.evidence.filter((term) => {
        const terms = findEvidenceTerms(this.#opened.index, [term]);
        return part !== undefined && evidenceIn(part, candidate, terms) > 0;
      });
      const reasons = explainMatch(skill, message, {
        signals,
        rarityOf: this.#rarityOf,
        facts: {
          isMentioned: facts.mentioned.has(skill),
          patterns: facts.matched
            .filter(({ place, skill: number }) => place === candidate.place && number === candidate.skill)
            .map(({ source }) => source),
          evidence,
          priors: (facts.priors.get(skill) ?? []).map(({ reason }) => reason),
        },
      });
      return { skill, score, reasons };
    });
  }

  readonly #rarityOf = (term: string): number => findEverywhere(this.#opened.index, term).rarity;

  #skillsAt({ place, skill }: { readonly place: number; readonly skill: number }): readonly Skill[] {
    const key = this.#opened.index.parts[place]?.segment.keys[skill];
    return key === undefined ? [] : (this.#opened.skillsOf.get(key) ?? []);
  }

  /** The examples' scores are found when the skill first comes up. */
  #examplesOf(skill: Skill): ExampleTable | undefined {
    const examples = this.#options.examples?.get(skill.qualifiedName);
    if (examples === undefined || examples.length === 0) return undefined;
    const known = this.#examples.get(skill.qualifiedName);
    if (known !== undefined) return known;
    const table = new ExampleTable(examples, {
      rarityOf: this.#rarityOf,
      scoreOf: (text) => {
        const { fused } = this.#fuse(readMessage(text), {});
        return fused.find(({ candidate }) => this.#skillsAt(candidate).includes(skill))?.score ?? 0;
      },
    });
    this.#examples.set(skill.qualifiedName, table);
    return table;
  }
}

interface Ranking {
  readonly fused: readonly Fused[];
  readonly facts: RankingFacts;
}

interface RankingFacts {
  readonly matched: readonly PlacedPattern[];
  readonly priors: Map<Skill, readonly Prior[]>;
  readonly mentioned: Set<Skill>;
}
