import type { Origin, Skill } from "../../registry/skill.ts";
import type { Candidate } from "./gather-candidates.ts";
import type { Measured, SignalRow } from "./measure-signals.ts";
import { RANK_WEIGHTS, type RankWeights } from "./weights.ts";

/** A candidate with what each signal added to its score. */
export interface Fused extends Measured {
  readonly score: number;
}

/** The sum that ranks: each signal by its weight, on one scale whatever the message. */
export function fuseSignals(
  measured: readonly Measured[],
  options: {
    readonly weights?: RankWeights;
    /** What is known besides the message. */
    readonly priorOf?: (measured: Measured) => number;
    /** Who comes first of two with the same score; else the order of the index decides, which is that of a library. */
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
        left.candidate.place - right.candidate.place ||
        left.candidate.skill - right.candidate.skill,
    );
}

/** The signals that are ranked by, in the order of rows that weights are fitted on. */
export const RANKED: readonly (keyof RankWeights)[] = [
  "relevance",
  "characters",
  "bigrams",
  "coverage",
  "sentence",
  "sentenceCoverage",
  "nameExact",
  "phrase",
  "negative",
  "extension",
  "command",
  "agreement",
];

/** The largest relevance, character and pair scores of a message's candidates. */
interface Most {
  readonly relevance: number;
  readonly characters: number;
  readonly bigrams: number;
}

export function mostOf(measured: readonly Measured[]): Most {
  const most = { relevance: 0, characters: 0, bigrams: 0 };
  for (const { signals } of measured) {
    most.relevance = Math.max(most.relevance, signals.relevance);
    most.characters = Math.max(most.characters, signals.characters);
    most.bigrams = Math.max(most.bigrams, signals.bigrams);
  }
  return most;
}

export function relativeSignals(signals: SignalRow, most: Most): Readonly<Record<keyof RankWeights, number>> {
  const relevance = share(signals.relevance, most.relevance);
  return {
    ...signals,
    relevance,
    characters: share(signals.characters, most.characters),
    bigrams: share(signals.bigrams, most.bigrams),
    agreement: relevance * signals.coverage,
  };
}

/** The same sum as over `relativeSignals`, written out: it is taken for every candidate of every message. */
export function scoreOf(signals: SignalRow, most: Most, weights: RankWeights): number {
  const relevance = share(signals.relevance, most.relevance);
  return (
    weights.relevance * relevance +
    weights.characters * share(signals.characters, most.characters) +
    weights.bigrams * share(signals.bigrams, most.bigrams) +
    weights.coverage * signals.coverage +
    weights.sentence * signals.sentence +
    weights.sentenceCoverage * signals.sentenceCoverage +
    weights.nameExact * signals.nameExact +
    weights.phrase * signals.phrase +
    weights.negative * signals.negative +
    weights.extension * signals.extension +
    weights.command * signals.command +
    weights.agreement * relevance * signals.coverage
  );
}

function share(value: number, most: number): number {
  return most > 0 ? value / most : 0;
}

/** A skill in the order of a message, and what its best competitor leaves. */
export interface Entrant {
  readonly one: Fused;
  readonly skill: Skill;
  /** The lead over the best skill that is no copy of it, or how far behind it. */
  readonly margin: number;
}

/** No more of the score than a better name brings: a copy that leads by less is not chosen before a trusted original. */
const MAX_LEAD_BY_NAME = 2.5;

/** So far down the order an original is looked for once there are enough: comparing headers takes its time. */
const MAX_LOOKED_AT = 12;

/**
 * Puts skills in order so that copies of one another do not take the first places: at most `alike` of them stand among
 * the first, the most trusted before the others, and the rest behind everybody.
 *
 * `lifted` come first, whatever their scores. A margin is to a skill that is no copy: who is installed twice is no less sure.
 */
export function arrangeEntrants(
  ordered: readonly Fused[],
  options: {
    readonly limit: number;
    readonly alike: number;
    readonly lifted: ReadonlySet<Fused>;
    readonly skillsOf: (one: Fused) => readonly Skill[];
    readonly isAlike: (left: Fused, right: Fused) => boolean;
    /** How likely it is that a skill is wanted, whoever competes; asked about copies alone. */
    readonly likelihoodOf: (one: Fused) => number;
  },
): { readonly first: readonly Entrant[]; readonly copies: readonly Entrant[] } {
  const { limit, alike, lifted, skillsOf, isAlike, likelihoodOf } = options;
  const rankOf = new Map(ordered.map((one, rank) => [one, rank]));
  const groups: Group[] = [];
  const first: Placed[] = [];
  const copies: Placed[] = [];
  // Two groups in any case, for the margin between them.
  const isFull = (): boolean => first.length >= limit && groups.length > 1;
  for (const one of [
    ...lifted,
    ...(lifted.size === 0 ? ordered : ordered.filter((other) => !lifted.has(other))),
  ]) {
    const rank = rankOf.get(one) ?? 0;
    if (isFull() && (rank >= MAX_LOOKED_AT || !groups.some((group) => mayYield(group, one)))) break;
    for (const skill of skillsOf(one)) {
      const known = groups.find((group) => isAlike(group.one, one));
      if (known === undefined && isFull()) break;
      const group = known ?? { one, rank, members: [] };
      if (known === undefined) groups.push(group);
      if (rank < group.rank) Object.assign(group, { one, rank });
      place({ one, skill, group }, { first, copies, alike, likelihoodOf });
    }
  }
  const toEntrant = ({ one, skill, group }: Placed): Entrant => {
    const rival = groups
      .filter((other) => other !== group)
      .reduce<Group | undefined>((best, other) => (best && best.rank < other.rank ? best : other), undefined);
    return { one, skill, margin: rival === undefined ? one.score : one.score - rival.one.score };
  };
  return { first: first.map(toEntrant), copies: copies.map(toEntrant) };
}

interface Group {
  /** The best of its members by score, and that one's place among all. */
  one: Fused;
  rank: number;
  readonly members: Placed[];
}

interface Placed {
  readonly one: Fused;
  readonly skill: Skill;
  readonly group: Group;
}

/** Whether a skill further behind may be the original that a copy stands before. */
function mayYield({ one, members }: Group, other: Fused): boolean {
  const [leader] = members;
  if (leader === undefined || one.score - other.score > MAX_LEAD_BY_NAME) return false;
  return distanceOf(leader.skill) > 0 || leader.one.signals.negative > 0;
}

function place(
  placed: Placed,
  into: {
    readonly first: Placed[];
    readonly copies: Placed[];
    readonly alike: number;
    readonly likelihoodOf: (one: Fused) => number;
  },
): void {
  const { members } = placed.group;
  const [leader] = members;
  if (leader === undefined || !isBetter(placed, leader, into.likelihoodOf)) {
    members.push(placed);
    put(placed, into);
    return;
  }
  members.unshift(placed);
  into.first[into.first.indexOf(leader)] = placed;
  put(leader, into);
}

/** Of copies the more trusted stands for all; of equally trusted ones the likelier, which is not always the one in front. */
function isBetter(one: Placed, leader: Placed, likelihoodOf: (one: Fused) => number): boolean {
  if (one.one === leader.one || leader.one.score - one.one.score > MAX_LEAD_BY_NAME) return false;
  const further = distanceOf(one.skill) - distanceOf(leader.skill);
  return further < 0 || (further === 0 && likelihoodOf(one.one) > likelihoodOf(leader.one));
}

function put(
  placed: Placed,
  { first, copies, alike }: { readonly first: Placed[]; readonly copies: Placed[]; readonly alike: number },
): void {
  const standing = first.filter(({ group }) => group === placed.group).length;
  if (standing < alike) first.push(placed);
  else copies.push(placed);
}

/** How far a skill's origin is from the person who runs it: 0 for what somebody vouches for, more for the rest. */
export function distanceOf({ origin }: Skill): number {
  return DISTANCE[origin];
}

const DISTANCE: Readonly<Record<Origin, number>> = {
  builtin: 0,
  organisation: 0,
  trusted: 0,
  local: 0,
  community: 1,
  "agent-created": 2,
};
