import type { Diagnostic } from "@skillet/kit/diagnostics";
import { compareByteOrder } from "@skillet/kit/order";
import { splitWords } from "@skillet/kit/words";
import type { OpenedIndex } from "../index/open-index.ts";
import { narrowIndex, type SkillIndex } from "../index/skill-index.ts";
import { createExampleTables, type Nearness } from "../learned/example-tables.ts";
import { applyLearned, type LearnedEffect, learnedEffect } from "../learned/learned-effect.ts";
import type { SelectableSkill } from "../selectable-skill.ts";
import {
  checkSelectContext,
  type SelectContext,
  type SelectedSkill,
  type SelectorOptions,
} from "../selector.ts";
import { createMentionTest, type Message, readMessage } from "../text/message.ts";
import { isFunctionWord } from "../text/usual-shares.ts";
import { arrangeEntrants, createCopyTest, distanceOf, type Entrant } from "./arrange-entrants.ts";
import { explainMatch } from "./explain-match.ts";
import type { Candidate } from "./gather-candidates.ts";
import { exampleShift, judgeProbability, MAX_UNSURE } from "./judge-probability.ts";
import { type Fused, fuseSignals, measureSignals } from "./measure-signals.ts";
import { PatternTable } from "./pattern-table.ts";
import { createPathFit, type PathFit, type Prior, priorsOf } from "./priors-of.ts";
import { CERTAIN, PATTERN_BONUS, THRESHOLDS } from "./weights.ts";

/** How many of a message's best are compared with their authors' examples. */
const MAX_REORDERED = 20;

/** From here on examples alone say that a message is about a skill. */
const LEAST_NEARNESS = 0.5;

/** So many more are looked at than are wanted, because they may pass skills that use has lowered. */
const MAX_OVERTAKING = 5;

/** A lead by less, on the scale of scores, leaves open which of two is meant. */
const ABOUT_AS_NEAR = 1;

/** So many skills with one and the same header stand among the first; a caller that wants the rest asks for more. */
const MAX_ALIKE = 2;

/** So many skills with paths are compared with the files of a message, and so many that fit are looked at besides. */
const MAX_BOUND = 2_000;
const MAX_BOUND_FOUND = 50;

interface RankRequest {
  readonly limit: number;
  readonly context?: SelectContext | undefined;
}

export class SkillRanker {
  readonly #opened: OpenedIndex;
  readonly #index: SkillIndex;
  readonly #options: SelectorOptions;
  readonly #patterns: PatternTable;
  /** The skills that only people start apart: they neither compete with nor hide what may be activated. */
  readonly #divided: readonly SkillIndex[];
  readonly #examples: ReturnType<typeof createExampleTables>;
  #bound: readonly number[] | undefined;

  constructor(opened: OpenedIndex, options: SelectorOptions) {
    const { index, skillsOf } = opened;
    this.#opened = opened;
    this.#index = index;
    this.#options = options;
    this.#examples = createExampleTables(options);
    this.#patterns = new PatternTable(
      index.patterns.flatMap((sources, skill) => {
        const [owner] = sources.length === 0 || index.alive?.[skill] === 0 ? [] : this.#skillsAt(skill);
        if (owner === undefined) return [];
        const { qualifiedName, origin, plugin = "" } = owner;
        const bringer = `${origin}\n${plugin}`;
        return sources.map((source) => ({ source, skill, owner: qualifiedName, bringer }));
      }),
    );
    const models = narrowIndex(index, (key) => mayActivate(skillsOf(key)));
    const hasOthers = models.alive?.some((alive, skill) => alive !== index.alive?.[skill]) ?? false;
    this.#divided = hasOthers ? [models, narrowIndex(index, (key) => !mayActivate(skillsOf(key)))] : [models];
  }

  /** Which patterns can never call a skill; found out on demand, because they have to be compiled for it. */
  diagnose(): readonly Diagnostic[] {
    return [...this.#index.keys.keys()]
      .flatMap((number) => this.#skillsAt(number).map((skill) => ({ number, skill })))
      .filter(({ skill }) => skill.manifest.triggers.patterns.length > 0)
      .sort((left, right) => compareByteOrder(left.skill.path, right.skill.path))
      .flatMap(({ number, skill }) => this.#patterns.diagnose(skill, number));
  }

  unknownWords(text: string): readonly string[] {
    const { terms, words, text: read } = readMessage(text);
    // With the accents that were typed; what is not a word by itself is a part of one.
    const runs = read
      .normalize("NFC")
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u);
    const typed = new Map(runs.map((run) => [splitWords(run).join(), run]));
    return words
      .filter((_, slot) => {
        const term = terms[slot] ?? "";
        return !isFunctionWord(term) && this.#index.numberOf(term) < 0;
      })
      .map((word) => typed.get(word) ?? word);
  }

  /** The skills that suit a message, the best first. */
  rank(text: string, { limit, context }: RankRequest): readonly SelectedSkill[] {
    const { measured, facts } = this.#measure([this.#index], text, context);
    return this.#order(measured, facts, { limit, alike: MAX_ALIKE });
  }

  /** The best that may be activated, as if there were no others, and the best that only people start; no copies. */
  divide(
    text: string,
    { limit, context }: RankRequest,
  ): { readonly models: readonly SelectedSkill[]; readonly people: readonly SelectedSkill[] } {
    const { measured, facts } = this.#measure(this.#divided, text, context);
    const order = (some: readonly Candidate[]): readonly SelectedSkill[] =>
      this.#order(some, facts, { limit, alike: 1 });
    const invocable = measured.filter(({ skill }) => mayActivate(this.#skillsAt(skill)));
    const models = order(invocable);
    if (invocable.length === measured.length) return { models, people: [] };
    return { models, people: order(measured).filter(({ skill }) => !skill.manifest.invocation.model) };
  }

  #measure(
    indexes: readonly SkillIndex[],
    text: string,
    context: SelectContext = {},
  ): { readonly measured: readonly Candidate[]; readonly facts: RankingFacts } {
    checkSelectContext(context);
    const message = readMessage(text);
    const facts: RankingFacts = {
      message,
      context,
      patternsOf: new Map(),
      fitOf: createPathFit({ named: message.files, atHand: context.files ?? [] }),
      isMentioned: createMentionTest(message.text),
      priors: new Map(),
      mentioned: new Set(),
    };
    for (const { skill, source } of this.#patterns.match(message.text))
      facts.patternsOf.set(skill, [...(facts.patternsOf.get(skill) ?? []), source]);
    const hasFiles = context.files !== undefined || message.files.length > 0;
    const called = [...facts.patternsOf.keys(), ...(hasFiles ? this.#findBound(facts) : [])];
    // Before anything is compared: what is bound to other files takes no place from others.
    const measured = indexes
      .flatMap((index) => measureSignals(index, message, called))
      .filter(
        (candidate) =>
          (candidate.isTold && context.files === undefined) ||
          this.#skillsAt(candidate.skill).some(
            (skill) =>
              (candidate.nameExact === 1 && facts.isMentioned(skill)) ||
              ((candidate.isTold || this.#isExampleOf(skill, message)) &&
                (context.files === undefined || facts.fitOf(skill) !== "none")),
          ),
      );
    return { measured, facts };
  }

  /** Unless they are sure, the few examples of a user's skill say nothing against it where its name says what is asked for. */
  #nearnessOf({ isNamed }: Candidate, skill: SelectableSkill, { text }: Message): Nearness | undefined {
    const nearness = this.#examples(skill)?.nearnessOf(text);
    if (!nearness || !isNamed || skill.origin === "builtin" || nearness.wanted < -LEAST_NEARNESS)
      return nearness;
    return { ...nearness, wanted: Math.max(0, nearness.wanted) };
  }

  /** Examples may call a skill where its own text has no word of the message but such as every message has. */
  #isExampleOf(skill: SelectableSkill, { text }: Message): boolean {
    return (this.#examples(skill)?.nearnessOf(text).subject ?? 0) >= LEAST_NEARNESS;
  }

  /** The skills that are bound to paths that a file fits: it can call them where no word of a message does. */
  #findBound({ fitOf }: RankingFacts): readonly number[] {
    const { keys, alive } = this.#index;
    const pathsOf = (skill: number): readonly string[] =>
      (alive?.[skill] !== 0 && this.#skillsAt(skill)[0]?.manifest.invocation.paths) || [];
    this.#bound ??= [...keys.keys()].filter((skill) => pathsOf(skill).length > 0).slice(0, MAX_BOUND);
    const found: number[] = [];
    for (const skill of this.#bound) {
      const [first] = this.#skillsAt(skill);
      if (found.length >= MAX_BOUND_FOUND) break;
      if (first !== undefined && fitOf(first) !== "none") found.push(skill);
    }
    return found;
  }

  #fuse(measured: readonly Candidate[], facts: RankingFacts): readonly Fused[] {
    const { message, context, fitOf, isMentioned, priors, mentioned } = facts;
    const hasContext = Object.keys(context).length > 0 || message.files.length > 0;
    const nameOf = (skill: number): string => this.#skillsAt(skill)[0]?.qualifiedName ?? "";
    return fuseSignals(measured, {
      compareTies: (left, right) => compareByteOrder(nameOf(left.skill), nameOf(right.skill)),
      priorOf: (candidate) => {
        if (!hasContext && candidate.nameExact === 0) return 0;
        const skills = this.#skillsAt(candidate.skill);
        const [skill] = skills;
        if (skill === undefined) return 0;
        const { vectorOf } = this.#options;
        const found = priorsOf(skill, { ...context, vectorOf, pathFit: fitOf(skill) });
        if (found.length > 0) priors.set(skill, found);
        const named = candidate.nameExact === 1 ? skills.filter(isMentioned) : [];
        for (const one of named) mentioned.add(one);
        return sumOf(found) + (named.length > 0 ? CERTAIN : 0);
      },
    });
  }

  /**
   * Bundled skills are defaults: a skill that the user wrote or installed comes first if it would be activated without
   * them or is as likely as they are, and then no bundled one is likelier, unless the message names it. Beside one that is
   * activated, a bundled one is worth a suggestion only if it would be activated, too.
   */
  #order(some: readonly Candidate[], facts: RankingFacts, options: OrderOptions): readonly SelectedSkill[] {
    const ordered = this.#ownFirst(some, facts, options);
    const [first] = ordered;
    if (first === undefined || first.skill.origin === "builtin" || first.score < THRESHOLDS.activate)
      return ordered;
    return ordered.filter(
      ({ skill, score }) =>
        skill.origin !== "builtin" || score >= THRESHOLDS.activate || score < THRESHOLDS.suggest,
    );
  }

  #ownFirst(
    some: readonly Candidate[],
    facts: RankingFacts,
    options: OrderOptions,
  ): readonly SelectedSkill[] {
    const all = this.#orderAll(this.#fuse(some, facts), facts, options);
    const [first] = all;
    if (first?.skill.origin !== "builtin" || facts.mentioned.has(first.skill)) return all;
    const others = some.filter(({ skill }) =>
      this.#skillsAt(skill).some(({ origin }) => origin !== "builtin"),
    );
    const fitting = this.#orderAll(this.#fuse(others, facts), facts, options);
    const own = fitting.filter(({ score }) => score >= THRESHOLDS.suggest);
    const [leader] = own;
    if (leader === undefined || leader.score < Math.min(THRESHOLDS.activate, first.score)) return all;
    const candidateOf = ({ skill }: SelectedSkill): Candidate | undefined =>
      some.find((one) => this.#skillsAt(one.skill).includes(skill));
    const [mine, theirs] = [candidateOf(leader), candidateOf(first)];
    if (mine === undefined || theirs === undefined || isDoubtBeside(mine, theirs)) return all;
    if (theirs.isNamed && !mine.isNamed) return all;
    if ((this.#nearnessOf(mine, leader.skill, facts.message)?.wanted ?? 0) <= -LEAST_NEARNESS) return all;
    const least = own.at(-1)?.score ?? 0;
    const after = all.filter(({ skill }) => own.every((one) => one.skill !== skill));
    for (const one of after) Object.assign(one, { score: Math.min(one.score, least) });
    return [...own, ...after].slice(0, options.limit);
  }

  #orderAll(
    fused: readonly Fused[],
    facts: RankingFacts,
    { limit, alike }: OrderOptions,
  ): readonly SelectedSkill[] {
    const { message, patternsOf } = facts;
    const { examples, learned } = this.#options;
    const isTaught = learned !== undefined && learned.skills.size > 0;
    const ordered = examples === undefined && !isTaught ? fused : this.#reorder(fused, message);
    const lifted = new Set(ordered.filter(({ candidate }) => patternsOf.has(candidate.skill)));
    const wanted = isTaught ? limit + MAX_OVERTAKING : limit;
    const arranged = arrangeEntrants(ordered, {
      limit: wanted,
      alike,
      lifted,
      skillsOf: ({ candidate }) => this.#preferred(candidate.skill, facts),
      isAlike: createCopyTest(this.#index, message),
      likelihoodOf: (one) => judgeProbability(one, { margin: 0, size: this.#index.size }),
    });
    // A skill is never likelier than the one before it, whatever other evidence there is; but a pattern says nothing about
    // any other skill.
    let most = 1;
    const best = arranged.slice(0, wanted).map((entrant): SelectedSkill => {
      const isLifted = lifted.has(entrant.one);
      const score = this.#judge(entrant, facts, isLifted ? "lifted" : "plain");
      if (!isLifted) most = Math.min(most, score);
      const { skill, one } = entrant;
      // Where an order says little but a verb, the skill that declares it is worth a suggestion, if a person vouches for it.
      const least = one.candidate.verb > 0 && distanceOf(skill) === 0 ? THRESHOLDS.suggest : 0;
      const own = Math.max(least, isLifted ? score : most);
      const reasons = { get: () => this.#explain(entrant, facts), enumerable: true }; // Most are never read.
      return Object.defineProperty({ skill, score: own }, "reasons", reasons) as SelectedSkill;
    });
    const [, ...others] = best;
    const [leader, ...rivals] = arranged;
    // Where examples speak for a skill, the words that it shares with a message are not all that it is chosen by.
    const isNarrow =
      leader !== undefined &&
      leader.margin < ABOUT_AS_NEAR &&
      (this.#nearnessOf(leader.one.candidate, leader.skill, message)?.wanted ?? 0) <= 0;
    const isRival = ({ one, skill }: Entrant, at: number): boolean =>
      leader !== undefined &&
      (others[at]?.score ?? 0) >= THRESHOLDS.suggest &&
      ((isNarrow && skill.origin !== "builtin") || isDoubtBeside(leader.one.candidate, one.candidate));
    const isCertain = leader === undefined || lifted.has(leader.one) || facts.mentioned.has(leader.skill);
    if (!isCertain && rivals.some(isRival))
      for (const one of best) Object.assign(one, { score: Math.min(one.score, MAX_UNSURE) });
    if (lifted.size > 0 || message.lead !== undefined) best.sort((left, right) => right.score - left.score);
    const thresholdOf = ({ skill }: SelectedSkill): number => this.#learnedOf(skill, facts)?.threshold ?? 0;
    return (isTaught ? applyLearned(best, thresholdOf) : best).slice(0, limit);
  }

  /** Examples may lift a skill above one that shares more words with the message. */
  #reorder(fused: readonly Fused[], message: Message): readonly Fused[] {
    const placed = fused.slice(0, MAX_REORDERED).map((one) => {
      const [skill] = this.#skillsAt(one.candidate.skill);
      const nearness = skill && this.#nearnessOf(one.candidate, skill, message);
      return { one, score: one.score + (nearness ? exampleShift(nearness) : 0) };
    });
    placed.sort((left, right) => right.score - left.score);
    return [...placed.map(({ one }) => one), ...fused.slice(MAX_REORDERED)];
  }

  /** A pattern of a trusted author is certain; any other is worth a suggestion, and helps what fits anyway. */
  #judge({ one, skill, margin }: Entrant, facts: RankingFacts, kind: "lifted" | "plain"): number {
    const { size } = this.#index;
    const nearness = this.#nearnessOf(one.candidate, skill, facts.message);
    const prior = sumOf(facts.priors.get(skill) ?? []);
    const judge = (bonus: number, isCalled: boolean): number =>
      judgeProbability(
        { ...one, score: one.score + bonus },
        { margin: margin + bonus, size, isCalled, prior, nearness },
      );
    const plain = judge(0, facts.mentioned.has(skill));
    if (kind === "plain") return plain;
    if (distanceOf(skill) === 0) return judge(CERTAIN, true);
    return plain < THRESHOLDS.suggest ? THRESHOLDS.suggest : judge(PATTERN_BONUS, true);
  }

  #explain({ one, skill }: Entrant, facts: RankingFacts): readonly string[] {
    return explainMatch(this.#index, facts.message, {
      candidate: one.candidate,
      skill,
      isMentioned: facts.mentioned.has(skill),
      patterns: facts.patternsOf.get(one.candidate.skill) ?? [],
      priors: (facts.priors.get(skill) ?? []).map(({ reason }) => reason),
      learned: this.#learnedOf(skill, facts)?.reason,
    });
  }

  #skillsAt(skill: number): readonly SelectableSkill[] {
    return this.#opened.skillsOf(this.#index.keys[skill] ?? "");
  }

  /** The same, the one that is meant first. */
  #preferred(skill: number, { mentioned }: RankingFacts): readonly SelectableSkill[] {
    return this.#skillsAt(skill).toSorted(
      (left, right) =>
        Number(mentioned.has(right)) - Number(mentioned.has(left)) || distanceOf(left) - distanceOf(right),
    );
  }

  /** A skill that the message names is offered, whatever was learned of it. */
  #learnedOf(skill: SelectableSkill, { mentioned }: RankingFacts): LearnedEffect | undefined {
    return mentioned.has(skill) ? undefined : learnedEffect(this.#options.learned, skill);
  }
}

interface OrderOptions {
  readonly limit: number;
  readonly alike: number;
}

interface RankingFacts {
  readonly message: Message;
  readonly context: SelectContext;
  /** By number in the index: the declared patterns that match. */
  readonly patternsOf: Map<number, readonly string[]>;
  readonly fitOf: (skill: SelectableSkill) => PathFit;
  readonly isMentioned: (skill: SelectableSkill) => boolean;
  readonly priors: Map<SelectableSkill, readonly Prior[]>;
  readonly mentioned: Set<SelectableSkill>;
}

function sumOf(priors: readonly Prior[]): number {
  return priors.reduce((sum, { score }) => sum + score, 0);
}

/** Another that is worth a suggestion has what this one lacks: an agent loads what is activated, so it is not. */
function isDoubtBeside(first: Candidate, other: Candidate): boolean {
  return (
    (first.lacksOrder && !other.lacksOrder) ||
    (first.lacked > 0 && other.lacked === 0) ||
    (first.makesResult === false && other.makesResult === true) ||
    (first.nameExact === 0 && other.nameExact === 1)
  );
}

function mayActivate(skills: readonly SelectableSkill[]): boolean {
  return skills.some(({ manifest }) => manifest.invocation.model);
}
