import { STOP_WORDS } from "@skillet/kit/words";
import { eachClause, NAME_KIND, PHRASE_KIND, SAMPLE_KIND, type SkillIndex } from "../index/skill-index.ts";
import type { SelectableSkill } from "../selectable-skill.ts";
import type { Message } from "../text/message.ts";
import { termOf } from "../text/term-table.ts";
import type { Fused } from "./measure-signals.ts";

export interface Entrant {
  readonly one: Fused;
  readonly skill: SelectableSkill;
  /** The lead over the best skill that is not a copy of it; negative for one that does not lead. */
  readonly margin: number;
}

/** No more of the score than a better name brings: a copy that leads by less is not chosen before a trusted original. */
const MAX_LEAD_BY_NAME = 4;

/** So far down the order an original is looked for once there are enough: comparing headers takes its time. */
const MAX_LOOKED_AT = 12;

/**
 * Puts skills in order so that copies of one another do not take the first places: at most `alike` of them stand among
 * the first, the most trusted before the others, and the rest after all others, or nowhere where one stands for all.
 *
 * `lifted` come first, whatever their scores. A margin is to a skill that is not a copy: one that is installed twice is not
 * less sure.
 */
export function arrangeEntrants(
  ordered: readonly Fused[],
  options: {
    readonly limit: number;
    readonly alike: number;
    readonly lifted: ReadonlySet<Fused>;
    readonly skillsOf: (one: Fused) => readonly SelectableSkill[];
    readonly isAlike: (left: Fused, right: Fused) => boolean;
    /** How likely it is that a skill is wanted, whatever competes with it; asked about copies alone. */
    readonly likelihoodOf: (one: Fused) => number;
  },
): readonly Entrant[] {
  const { limit, alike, lifted, skillsOf, isAlike, likelihoodOf } = options;
  const groups: Group[] = [];
  const first: Placed[] = [];
  const copies: Placed[] = [];
  const put = (placed: Placed): void => {
    const standing = first.filter(({ group }) => group === placed.group).length;
    (standing < alike ? first : copies).push(placed);
  };
  /** Of copies the more trusted stands for all; of equally trusted ones the likelier, which is not always the one in front. */
  const isBetter = (placed: Placed, leader: Placed): boolean => {
    if (placed.one === leader.one || leader.one.score - placed.one.score > MAX_LEAD_BY_NAME) return false;
    const further = distanceOf(placed.skill) - distanceOf(leader.skill);
    return further < 0 || (further === 0 && likelihoodOf(placed.one) > likelihoodOf(leader.one));
  };
  // Two groups in any case, for the margin between them.
  const isFull = (): boolean => first.length >= limit && groups.length > 1;
  const inTurn = lifted.size === 0 ? ordered : new Set([...lifted, ...ordered]);
  for (const one of inTurn) {
    const rank = ordered.indexOf(one);
    if (isFull() && (rank >= MAX_LOOKED_AT || !groups.some((group) => mayYield(group, one)))) break;
    for (const skill of skillsOf(one)) {
      const known = groups.find((group) => isAlike(group.one, one));
      if (known === undefined && isFull()) break;
      const group: Group = known ?? { one, rank, leader: undefined };
      if (known === undefined) groups.push(group);
      if (rank < group.rank) Object.assign(group, { one, rank });
      const placed = { one, skill, group };
      const { leader } = group;
      if (leader !== undefined && isBetter(placed, leader)) {
        first[first.indexOf(leader)] = placed;
        put(leader);
        group.leader = placed;
      } else {
        put(placed);
        group.leader ??= placed;
      }
    }
  }
  groups.sort((left, right) => left.rank - right.rank);
  return (alike === 1 ? first : [...first, ...copies]).map(({ one, skill, group }) => {
    const rival = groups.find((other) => other !== group);
    return { one, skill, margin: one.score - (rival?.one.score ?? 0) };
  });
}

interface Group {
  /** The best of its members by score, and that one's place among all. */
  one: Fused;
  rank: number;
  leader: Placed | undefined;
}

interface Placed {
  readonly one: Fused;
  readonly skill: SelectableSkill;
  readonly group: Group;
}

/** Whether a skill further down may be the original that a copy stands before. */
function mayYield({ one, leader }: Group, other: Fused): boolean {
  if (leader === undefined || one.score - other.score > MAX_LEAD_BY_NAME) return false;
  return distanceOf(leader.skill) > 0 || leader.one.candidate.negativeCoverage > 0;
}

/** How far a skill's origin is from the person who runs it: 0 for what a person vouches for, more for the rest. */
export function distanceOf({ origin }: SelectableSkill): number {
  if (origin === "agent-created") return 2;
  return VOUCHED_FOR.has(origin) ? 0 : 1;
}

const VOUCHED_FOR: ReadonlySet<string> = new Set(["builtin", "organisation", "trusted", "local"]);

/** From which share of common word pairs two headers are one text. */
const ALIKE = 0.8;

/** A header of fewer pairs says too little to be a copy. */
const LEAST_PAIRS = 6;

const NAME_TERMS = 8;

/**
 * Two that differ in a word of the message are not copies for it, however much else they share: who asks to
 * convert an invoice means another skill than who asks to draft one.
 */
export function createCopyTest(index: SkillIndex, message: Message): (left: Fused, right: Fused) => boolean {
  const said = new Set(
    message.terms.flatMap((term, slot) =>
      STOP_WORDS.has(message.words[slot] ?? term) ? [] : index.numberOf(term),
    ),
  );
  // Which words of the message stand in a header is enough to tell most skills apart.
  const saidIn = onceEach((skill) => {
    const terms = new Set<number>();
    eachHeaderTerm(index, skill, (term) => said.has(term) && terms.add(term));
    return [...terms].sort().join();
  });
  const pairsIn = onceEach((skill) => {
    const pairs = new Set<number>();
    eachHeaderTerm(index, skill, (term, before) => pairs.add((before + 1) * 2 ** 24 + term));
    return pairs;
  });
  return (left, right) => {
    if (left === right) return true;
    const { headerLength } = left.candidate;
    const other = right.candidate.headerLength;
    // The name is a part of both, and may be short or long: this only spares a look at what is far from alike.
    if (Math.min(headerLength, other) + NAME_TERMS < Math.max(headerLength, other) * ALIKE) return false;
    const [one, another] = [left.candidate.skill, right.candidate.skill];
    if (saidIn(one) !== saidIn(another)) return false;
    const [pairs, others] = [pairsIn(one), pairsIn(another)];
    if (Math.min(pairs.size, others.size) < LEAST_PAIRS) return false;
    const common = [...pairs].filter((pair) => others.has(pair)).length;
    return common >= ALIKE * (pairs.size + others.size - common);
  };
}

function onceEach<Value>(make: (skill: number) => Value): (skill: number) => Value {
  const known = new Map<number, Value>();
  return (skill) => {
    const value = known.get(skill) ?? make(skill);
    known.set(skill, value);
    return value;
  };
}

/** Goes through the terms of a header but for its name, each with the one before it in its clause, -1 for none. */
function eachHeaderTerm(index: SkillIndex, skill: number, use: (term: number, before: number) => void): void {
  eachClause(index, skill, (kind, start, end) => {
    // Its limits are a part of what a skill says: one that denies what another promises is not a copy of it.
    if (kind === NAME_KIND || kind === PHRASE_KIND || kind === SAMPLE_KIND) return;
    let before = -1;
    for (let at = start; at < end; at += 1) {
      const term = termOf(index.clauseTerms[at] as number);
      use(term, before);
      before = term;
    }
  });
}
