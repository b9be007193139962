import type { Random } from "../library/random.ts";
import { indexOf, type MeasuredQuery } from "./measured-set.ts";
import { measureSignals, readMessage } from "./product.ts";
import type { Query, SetSkill, TriggerSet } from "./trigger-set.ts";

/** The sizes of libraries as people have them. */
const SMALL_SIZES: readonly number[] = [3, 10, 30, 100];

/** So many messages about other skills are put to every library. */
const STRANGERS = 12;

/** Everyday messages are put to these as well, and to the whole library. */
const LARGER_SIZE = 500;

/** The style of messages that are about no skill of any library. */
export const EVERYDAY = "everyday";

/** A message in a small library. */
export interface SmallQuery extends MeasuredQuery {
  readonly size: number;
  /** It is about no skill of the library; then `target` is -1. */
  readonly isStranger: boolean;
}

/** Puts each skill of a set among few others, with its own messages and with such as are about none of them. */
export function measureSmallLibraries(set: TriggerSet, random: Random): readonly SmallQuery[] {
  const wanted = new Set(set.queries.map(({ skill }) => skill));
  const own = set.skills.filter(({ skill }) => wanted.has(skill.qualifiedName));
  return SMALL_SIZES.flatMap((size) =>
    own.flatMap((target) => {
      const skills = [target, ...drawOthers(set.skills, { target, count: size - 1, random })];
      const index = indexOf(skills);
      const measure = (query: Query, isStranger: boolean): SmallQuery => ({
        ...query,
        measured: measureSignals(index, readMessage(query.text)),
        target: isStranger ? -1 : 0,
        size,
        isStranger,
      });
      const strangers = drawStrangers(set, { skills, target, random });
      return [
        ...set.queries
          .filter(({ skill }) => skill === target.skill.qualifiedName)
          .map((query) => measure(query, false)),
        ...strangers.map((query) => measure(query, true)),
      ];
    }),
  );
}

/** Puts messages that are about nothing to libraries of all sizes. */
export function measureEveryday(
  { skills }: TriggerSet,
  { messages, random }: { readonly messages: readonly string[]; readonly random: Random },
): readonly SmallQuery[] {
  return [...SMALL_SIZES, LARGER_SIZE, skills.length].flatMap((size) => {
    const some = size < skills.length ? Array.from({ length: size }, () => random.pick(skills)) : skills;
    const index = indexOf(some);
    return messages.map((text) => ({
      id: text,
      text,
      skill: "",
      shouldTrigger: false,
      style: EVERYDAY,
      repository: text,
      target: -1,
      size,
      isStranger: true,
      measured: measureSignals(index, readMessage(text)).filter(({ isTold }) => isTold),
    }));
  });
}

function drawOthers(
  skills: readonly SetSkill[],
  options: { readonly target: SetSkill; readonly count: number; readonly random: Random },
): readonly SetSkill[] {
  const { target, random } = options;
  const drawn = new Set<SetSkill>();
  const count = Math.min(options.count, skills.length - 1);
  while (drawn.size < count) {
    const one = random.pick(skills);
    if (one !== target) drawn.add(one);
  }
  return [...drawn];
}

function drawStrangers(
  { queries }: TriggerSet,
  options: { readonly skills: readonly SetSkill[]; readonly target: SetSkill; readonly random: Random },
): readonly Query[] {
  const { skills, target, random } = options;
  const here = new Set(skills.map(({ skill }) => skill.qualifiedName));
  const repository = queries.find(({ skill }) => skill === target.skill.qualifiedName)?.repository;
  const others = queries.filter((query) => !here.has(query.skill) && query.repository !== repository);
  return others.length === 0 ? [] : Array.from({ length: STRANGERS }, () => random.pick(others));
}
