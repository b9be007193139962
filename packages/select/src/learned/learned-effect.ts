import type { SelectableSkill } from "../selectable-skill.ts";
import type { TriggerExample } from "./example-tables.ts";
import type { Learned, LearnedSkill } from "./learned.ts";

export interface LearnedEffect {
  /** How much surer selection must be, in log-odds. */
  readonly threshold: number;
  readonly examples: readonly TriggerExample[];
  /** In words, where the threshold is another one. */
  readonly reason?: string;
}

/** Longer headers, beyond what the specification allows, list words: with samples as well they would meet everything. */
const MAX_DESCRIBED = 1_500;

/**
 * Messages that should call a skill, for the index: generated from this very text, and learned. Those of its author are
 * learned from word by word, and would here help most who lists most.
 */
export function samplesOf(skill: SelectableSkill, learned: Learned | undefined): readonly string[] {
  const entry = entryOf(learned, skill);
  const { description, whenToUse = "" } = skill.manifest;
  if (entry === undefined || description.length + whenToUse.length > MAX_DESCRIBED) return [];
  const isOfText = entry.generatedFrom !== undefined && skill.digest.startsWith(entry.generatedFrom);
  return [...(isOfText ? (entry.generated ?? []) : []), ...entry.wanted];
}

/** What was learned of a skill of another origin is not about this one. */
function entryOf(learned: Learned | undefined, skill: SelectableSkill): LearnedSkill | undefined {
  const entry = learned?.skills.get(skill.qualifiedName);
  return entry?.origin === undefined || entry.origin === skill.origin ? entry : undefined;
}

/** A text that changed may be about something else by now; that it was passed over so often still says something. */
const CHANGED_TEXT_SHARE = 0.5;

/** Finds what was learned of a skill; nothing where that was a skill of another origin. */
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
 * Each moves by its own threshold and no further, so that a skill that is offered less often does not drag
 * down those after it, nor fall below what is left of it. None passes another by being used often: it must
 * fit the message better.
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
