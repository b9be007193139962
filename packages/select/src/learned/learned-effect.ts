import type { SelectableSkill } from "../selectable-skill.ts";
import type { TriggerExample } from "./example-tables.ts";
import type { Learned, LearnedSkill } from "./learned.ts";

export interface LearnedEffect {
  /** How much surer selection must be, in log-odds. */
  readonly threshold: number;
  readonly examples: readonly TriggerExample[];
  /** Explains a threshold that is not 0. */
  readonly reason?: string;
}

/** Headers beyond the specification's limit are word lists, which would match everything with samples. */
const MAX_DESCRIBED = 1_500;

/**
 * Messages that should call a skill, for the index: learned, or generated from its current text. The author's
 * examples are used word by word elsewhere; here they would favour whoever lists most.
 */
export function samplesOf(skill: SelectableSkill, learned: Learned | undefined): readonly string[] {
  const entry = entryOf(learned, skill);
  const { description, whenToUse = "" } = skill.manifest;
  if (entry === undefined || description.length + whenToUse.length > MAX_DESCRIBED) return [];
  const isOfText = entry.generatedFrom !== undefined && skill.digest.startsWith(entry.generatedFrom);
  return [...(isOfText ? (entry.generated ?? []) : []), ...entry.wanted];
}

/** An entry about a skill of another origin does not apply. */
function entryOf(learned: Learned | undefined, skill: SelectableSkill): LearnedSkill | undefined {
  const entry = learned?.skills.get(skill.qualifiedName);
  return entry?.origin === undefined || entry.origin === skill.origin ? entry : undefined;
}

/** Changed text may be about something else, but frequent rejection still says something. */
const CHANGED_TEXT_SHARE = 0.5;

/** Finds what was learned about a skill; nothing if the entry is about a skill of another origin. */
export function learnedEffect(
  learned: Learned | undefined,
  skill: SelectableSkill,
): LearnedEffect | undefined {
  const entry = entryOf(learned, skill);
  if (entry === undefined) return undefined;
  const isSameText = entry.digest === undefined || skill.digest.startsWith(entry.digest);
  const threshold = isSameText ? entry.threshold : entry.threshold * CHANGED_TEXT_SHARE;
  const toExamples = (messages: readonly string[], shouldTrigger: boolean): readonly TriggerExample[] =>
    messages.map((message) => ({ message, shouldTrigger }));
  return {
    threshold,
    examples: [...toExamples(entry.wanted, true), ...toExamples(entry.unwanted, false)],
    ...(threshold !== 0 && {
      reason: `its threshold was ${threshold > 0 ? "raised" : "lowered"}: ${describeEvidence(entry)}${isSameText ? "" : ", with another text"}`,
    }),
  };
}

function describeEvidence({ used, ignored, wrong, threshold }: LearnedSkill): string {
  const all = used + ignored + wrong;
  if (all === 0) return "by hand";
  if (threshold < 0) return `used ${used} of ${all} times`;
  return wrong === 0
    ? `ignored ${ignored} of ${all} times`
    : `${ignored === 0 ? "" : `ignored ${ignored} and `}wrong ${wrong} of ${all} times`;
}

/**
 * Moves each score by its own threshold, but never above the unmoved score of the one before it: being used
 * often is not enough to pass a skill that fits better. A skill that is lowered does not drag down those
 * after it.
 */
export function applyLearned<One extends { readonly score: number }>(
  ranked: readonly One[],
  thresholdOf: (one: One) => number,
): readonly One[] {
  let before = 1;
  const moved = ranked.map((one) => {
    const raised = one.score / (one.score + (1 - one.score) * Math.exp(thresholdOf(one)));
    const score = Math.min(before, raised);
    before = one.score;
    return { ...one, score };
  });
  return moved.sort((left, right) => right.score - left.score);
}
