import type { Diagnostic } from "@skillet/kit/diagnostics";
import { compareByteOrder } from "@skillet/kit/order";
import type { Skill } from "../registry/skill.ts";
import { explainMatch, sharedWords } from "./explain-match.ts";
import type { OpenedIndex } from "./index/open-index.ts";
import { type SkillIndex, setApart } from "./index/skill-index.ts";
import { applyLearned } from "./learned/apply-learned.ts";
import { type ExampleStanding, ExampleTables } from "./learned/example-tables.ts";
import { type LearnedEffect, learnedEffect } from "./learned/learned-effect.ts";
import {
  checkSelectContext,
  type SelectContext,
  type SelectedSkill,
  type SelectorOptions,
} from "./selector.ts";
import { diagnosePatterns } from "./signal/diagnose-patterns.ts";
import { evidenceIn, findEverywhere, findEvidenceTerms } from "./signal/find-search-term.ts";
import { arrangeEntrants, distanceOf, type Entrant, type Fused, fuseSignals } from "./signal/fuse-signals.ts";
import type { Candidate } from "./signal/gather-candidates.ts";
import { HeaderComparer } from "./signal/header-comparer.ts";
import { exampleShift, judgeProbability } from "./signal/judge-probability.ts";
import { type Measured, measureSignals } from "./signal/measure-signals.ts";
import { createMentionTest, type Message, readMessage } from "./signal/message.ts";
import { PatternTable, type PlacedPattern } from "./signal/pattern-table.ts";
import { BoundSkills, PathFits, type Prior, priorsOf } from "./signal/priors-of.ts";
import { CERTAIN, PATTERN_BONUS, THRESHOLDS } from "./signal/weights.ts";

/** How many of a message's best are compared with their authors' examples. */
const MAX_REORDERED = 20;

/** So many more are looked at than are wanted, because they may pass skills that use has lowered. */
const MAX_OVERTAKING = 5;

/** So many skills with one and the same header stand among the first; of the rest people learn by asking for more. */
const MAX_ALIKE = 2;

/** Ranks the skills of an opened index; behind `createSelector`. */
export class SkillRanker {
  readonly #opened: OpenedIndex;
  readonly #options: SelectorOptions;
  readonly #patterns: PatternTable;
  readonly #bound: BoundSkills;
  /** The index with those apart whom only people start: they neither compete with nor hide what may be activated. */
  readonly #divided: SkillIndex;
  readonly #examples: ExampleTables;

  constructor(opened: OpenedIndex, options: SelectorOptions) {
    this.#opened = opened;
    this.#options = options;
    this.#examples = new ExampleTables({
      examples: options.examples,
      learned: options.learned,
      rarityOf: this.#rarityOf,
      standingOf: (skill, text) => this.#standingOf(skill, text),
    });
    this.#bound = new BoundSkills(opened.index, (placed) => this.#skillsAt(placed));
    this.#patterns = new PatternTable(
      opened.index.parts.flatMap(({ segment, alive }, place) =>
        segment.patterns
          .filter(({ skill }) => alive?.[skill] !== 0)
          .flatMap(({ skill, source }) => {
            const [owner] = this.#skillsAt({ place, skill });
            if (owner === undefined) return [];
            const { qualifiedName, origin, plugin = "" } = owner;
            return [{ place, skill, source, owner: qualifiedName, bringer: `${origin}\n${plugin}` }];
          }),
      ),
    );
    this.#divided = setApart(opened.index, (key) => !mayActivate(opened.skillsOf.get(key) ?? []));
  }

  /** What can never call a skill; found out when somebody asks, because patterns have to be read for it. */
  diagnose(): readonly Diagnostic[] {
    const kept = new Map<string, string[]>();
    for (const pattern of this.#patterns.kept) {
      for (const { qualifiedName } of this.#skillsAt(pattern)) {
        const sources = kept.get(qualifiedName);
        if (sources === undefined) kept.set(qualifiedName, [pattern.source]);
        else sources.push(pattern.source);
      }
    }
    return [...this.#opened.skillsOf.values()]
      .flat()
      .filter(({ manifest }) => manifest.triggers.patterns.length > 0)
      .sort((left, right) => compareByteOrder(left.path, right.path))
      .flatMap((skill) => diagnosePatterns(skill, kept.get(skill.qualifiedName) ?? [], this.#patterns));
  }

  /** The skills that suit a message, the best first. */
  rank(
    text: string,
    { limit, context = {} }: { readonly limit: number; readonly context?: SelectContext },
  ): readonly SelectedSkill[] {
    checkSelectContext(context);
    const message = readMessage(text);
    const { measured, facts } = this.#measure(this.#opened.index, message, context);
    return this.#order(message, { fused: this.#fuse(measured, facts), facts, limit, alike: MAX_ALIKE });
  }

  /** The best that may be activated, as if there were no others, and the best that only people start; no copies. */
  divide(
    text: string,
    { limit, context = {} }: { readonly limit: number; readonly context?: SelectContext },
  ): { readonly models: readonly SelectedSkill[]; readonly people: readonly SelectedSkill[] } {
    checkSelectContext(context);
    const message = readMessage(text);
    const { measured, facts } = this.#measure(this.#divided, message, context);
    const invocable = measured.filter(({ candidate }) => mayActivate(this.#skillsAt(candidate)));
    const order = (some: readonly Measured[]): readonly SelectedSkill[] =>
      this.#order(message, { fused: this.#fuse(some, facts), facts, limit, alike: 1 });
    const models = order(invocable);
    if (invocable.length === measured.length) return { models, people: [] };
    return { models, people: order(measured).filter(({ skill }) => !skill.manifest.invocation.model) };
  }

  #order(
    message: Message,
    by: {
      readonly fused: readonly Fused[];
      readonly facts: RankingFacts;
      readonly limit: number;
      readonly alike: number;
    },
  ): readonly SelectedSkill[] {
    const { fused, facts, limit, alike } = by;
    const { examples, learned } = this.#options;
    const isTaught = learned !== undefined && learned.skills.size > 0;
    const ordered = examples === undefined && !isTaught ? fused : this.#reorder(fused, message);
    const lifted = new Set(facts.matched.length === 0 ? [] : ordered.filter((one) => isMatched(one, facts)));
    const headers = new HeaderComparer(this.#opened.index, message);
    const wanted = isTaught ? limit + MAX_OVERTAKING : limit;
    const { first, copies } = arrangeEntrants(ordered, {
      limit: wanted,
      alike,
      lifted,
      skillsOf: ({ candidate }) => this.#preferred(candidate, facts),
      isAlike: (left, right) => headers.isAlike(left, right),
      likelihoodOf: (one) => judgeProbability(one, { margin: 0, size: this.#opened.index.size }),
    });
    const shown = alike === 1 ? first : [...first, ...copies];
    // Who stands behind another is not likelier than that one, whatever else speaks for it; but a pattern says nothing
    // about anybody else.
    let most = 1;
    const best = shown.slice(0, wanted).map((entrant) => {
      const isLifted = lifted.has(entrant.one);
      const score = this.#judge(message, { ...entrant, isLifted, facts });
      if (!isLifted) most = Math.min(most, score);
      return this.#explain(message, { ...entrant, facts, score: isLifted ? score : most });
    });
    if (lifted.size > 0) best.sort((left, right) => right.score - left.score);
    const thresholdOf = ({ skill }: SelectedSkill): number => this.#learnedOf(skill, facts)?.threshold ?? 0;
    return (isTaught ? applyLearned(best, thresholdOf) : best).slice(0, limit);
  }

  /** Examples may lift a skill above one that shares more words with the message. */
  #reorder(fused: readonly Fused[], message: Message): readonly Fused[] {
    const placeOf = new Map<Fused, number>();
    for (const one of fused.slice(0, MAX_REORDERED)) {
      const [skill] = this.#skillsAt(one.candidate);
      const examples = skill === undefined ? undefined : this.#examples.of(skill)?.evidenceFor(message.text);
      placeOf.set(one, one.score + (examples === undefined ? 0 : exampleShift(examples)));
    }
    const behind = fused.slice(MAX_REORDERED);
    return [...[...placeOf].sort((left, right) => right[1] - left[1]).map(([one]) => one), ...behind];
  }

  #measure(index: SkillIndex, message: Message, context: SelectContext): Measurement {
    const matched = this.#patterns.match(message.text);
    const fits = new PathFits({ named: message.files, atHand: context.files ?? [] });
    const isMentioned = createMentionTest(message.text);
    const facts: RankingFacts = {
      context,
      hasContext: Object.keys(context).length > 0 || message.files.length > 0,
      matched,
      fits,
      isMentioned,
      priors: new Map(),
      mentioned: new Set(),
    };
    // Before anything is compared: what is bound to other files takes nobody's place.
    const hasFiles = context.files !== undefined || message.files.length > 0;
    const called = hasFiles ? [...matched, ...this.#bound.fitting(fits)] : matched;
    const measured = measureSignals(index, message, called).filter(
      ({ candidate, signals }) =>
        context.files === undefined ||
        this.#skillsAt(candidate).some(
          (skill) => fits.of(skill) !== "none" || (signals.nameExact === 1 && isMentioned(skill)),
        ),
    );
    return { measured, facts };
  }

  #fuse(measured: readonly Measured[], facts: RankingFacts): readonly Fused[] {
    const { context, hasContext, fits, isMentioned, priors, mentioned } = facts;
    return fuseSignals(measured, {
      compareTies: (left, right) => compareByteOrder(this.#nameAt(left), this.#nameAt(right)),
      priorOf: ({ candidate, signals }) => {
        if (!hasContext && signals.nameExact === 0) return 0;
        const skills = this.#skillsAt(candidate);
        const [skill] = skills;
        if (skill === undefined) return 0;
        const found = priorsOf(skill, {
          ...context,
          vectorOf: this.#options.vectorOf,
          pathFit: fits.of(skill),
        });
        if (found.length > 0) priors.set(skill, found);
        const sum = found.reduce((total, { score }) => total + score, 0);
        const named = signals.nameExact === 1 ? skills.filter(isMentioned) : [];
        for (const one of named) mentioned.add(one);
        return named.length > 0 ? sum + CERTAIN : sum;
      },
    });
  }

  /** The skills with the same bytes, the one that is meant first. */
  #preferred(candidate: Candidate, { mentioned }: RankingFacts): readonly Skill[] {
    const skills = this.#skillsAt(candidate);
    if (skills.length < 2) return skills;
    return skills.toSorted(
      (left, right) =>
        Number(mentioned.has(right)) - Number(mentioned.has(left)) || distanceOf(left) - distanceOf(right),
    );
  }

  /** A pattern of somebody who is vouched for is certain; another's is worth a suggestion, and helps what fits anyway. */
  #judge(
    message: Message,
    found: Entrant & { readonly isLifted: boolean; readonly facts: RankingFacts },
  ): number {
    const { one, skill, margin, isLifted, facts } = found;
    const { size } = this.#opened.index;
    const examples = this.#examples.of(skill)?.evidenceFor(message.text);
    const prior = (facts.priors.get(skill) ?? []).reduce((sum, { score }) => sum + score, 0);
    const judge = (bonus: number, isCalled: boolean): number =>
      judgeProbability(
        { ...one, score: one.score + bonus },
        { margin: margin + bonus, size, isCalled, prior, examples },
      );
    const plain = judge(0, facts.mentioned.has(skill));
    if (!isLifted) return plain;
    if (distanceOf(skill) === 0) return judge(CERTAIN, true);
    return plain < THRESHOLDS.suggest ? THRESHOLDS.suggest : judge(PATTERN_BONUS, true);
  }

  #explain(
    message: Message,
    found: Entrant & { readonly facts: RankingFacts; readonly score: number },
  ): SelectedSkill {
    const { one, skill, facts, score } = found;
    const { candidate, signals } = one;
    const part = this.#opened.index.parts[candidate.place];
    const hasEvidence = signals.command > 0 || signals.extension > 0;
    const evidence = message.evidence.filter((term) => {
      if (!hasEvidence || part === undefined) return false;
      return evidenceIn(part, candidate, findEvidenceTerms(this.#opened.index, [term])) > 0;
    });
    const reasons = explainMatch(skill, message, {
      signals,
      words: sharedWords(this.#opened.index, message, candidate),
      facts: {
        isMentioned: facts.mentioned.has(skill),
        patterns: facts.matched.filter((pattern) => isAt(pattern, candidate)).map(({ source }) => source),
        evidence,
        priors: (facts.priors.get(skill) ?? []).map(({ reason }) => reason),
        learned: this.#learnedOf(skill, facts)?.reason,
      },
    });
    return { skill, score, reasons };
  }

  readonly #rarityOf = (term: string): number => findEverywhere(this.#opened.index, term).rarity;

  #skillsAt({ place, skill }: { readonly place: number; readonly skill: number }): readonly Skill[] {
    const key = this.#opened.index.parts[place]?.segment.keys[skill];
    return key === undefined ? [] : (this.#opened.skillsOf.get(key) ?? []);
  }

  #nameAt(candidate: Candidate): string {
    return this.#skillsAt(candidate)[0]?.qualifiedName ?? "";
  }

  /** Whoever names a skill gets it, whatever became of it before. */
  #learnedOf(skill: Skill, { mentioned }: RankingFacts): LearnedEffect | undefined {
    return mentioned.has(skill) ? undefined : learnedEffect(this.#options.learned, skill);
  }

  /** The score of a skill for a message, and how far it is behind the best. */
  #standingOf(skill: Skill, text: string): ExampleStanding {
    const { measured, facts } = this.#measure(this.#opened.index, readMessage(text), {});
    const fused = this.#fuse(measured, facts);
    const score = fused.find(({ candidate }) => this.#skillsAt(candidate).includes(skill))?.score ?? 0;
    return { score, behind: (fused[0]?.score ?? 0) - score };
  }
}

interface Measurement {
  readonly measured: readonly Measured[];
  readonly facts: RankingFacts;
}

interface RankingFacts {
  readonly context: SelectContext;
  readonly hasContext: boolean;
  readonly matched: readonly PlacedPattern[];
  readonly fits: PathFits;
  readonly isMentioned: (skill: Skill) => boolean;
  readonly priors: Map<Skill, readonly Prior[]>;
  readonly mentioned: Set<Skill>;
}

function isMatched({ candidate }: Measured, { matched }: RankingFacts): boolean {
  return matched.some((pattern) => isAt(pattern, candidate));
}

function isAt(pattern: PlacedPattern, { place, skill }: Candidate): boolean {
  return pattern.place === place && pattern.skill === skill;
}

function mayActivate(skills: readonly Skill[]): boolean {
  return skills.some(({ manifest }) => manifest.invocation.model);
}
