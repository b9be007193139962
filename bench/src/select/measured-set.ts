import { atOnce } from "@skillet/kit/async";
import {
  type Candidate,
  createIndex,
  describeSkill,
  IndexBuilder,
  measureSignals,
  readMessage,
  type SkillIndex,
} from "./product.ts";
import type { Query, SetSkill, TriggerSet } from "./trigger-set.ts";

/** A message with the signals of its candidates; `target` is the place of the skill it is about among the skills. */
export interface MeasuredQuery extends Query {
  readonly measured: readonly Candidate[];
  readonly target: number;
}

export interface MeasuredSet {
  readonly queries: readonly MeasuredQuery[];
  /** How many skills there are. */
  readonly size: number;
  /** Their qualified names, by place. */
  readonly names: readonly string[];
}

/** Measures every message of a set once, among the skills it is about and the first `distractors` others. */
export function measureSet(
  set: TriggerSet,
  distractors: number = Number.POSITIVE_INFINITY,
  samples?: ReadonlyMap<string, readonly string[]>,
): MeasuredSet {
  const wanted = new Set(set.queries.map(({ skill }) => skill));
  const own = set.skills.filter(({ skill }) => wanted.has(skill.qualifiedName));
  const others = set.skills.filter(({ skill }) => !wanted.has(skill.qualifiedName));
  const skills = [...own, ...others.slice(0, Math.min(distractors, others.length))];
  const index = indexOf(skills, samples);
  const places = new Map(skills.map(({ skill }, place) => [skill.qualifiedName, place]));
  const queries = set.queries.map((query) => ({
    ...query,
    measured: measureSignals(index, readMessage(query.text)),
    target: places.get(query.skill) ?? -1,
  }));
  return { queries, size: skills.length, names: skills.map(({ skill }) => skill.qualifiedName) };
}

export function indexOf(
  skills: readonly SetSkill[],
  samples?: ReadonlyMap<string, readonly string[]>,
): SkillIndex {
  const builder = new IndexBuilder();
  for (const { skill, body } of skills)
    builder.add(describeSkill(skill, body, samples?.get(skill.qualifiedName)));
  return createIndex(atOnce(builder.build()));
}
