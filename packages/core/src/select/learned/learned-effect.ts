import type { Skill } from "../../registry/skill.ts";
import type { TriggerExample } from "./example-tables.ts";
import type { Learned, LearnedSkill } from "./learned.ts";

/** What was learned of a skill, as far as it holds for the skill as it is now. */
export interface LearnedEffect {
  /** How much surer selection must be, in log-odds. */
  readonly threshold: number;
  readonly examples: readonly TriggerExample[];
  /** In words, where the threshold is another one. */
  readonly reason?: string;
}

/** A text that changed may be about something else by now; that it was passed over so often still says something. */
const CHANGED_TEXT_SHARE = 0.5;

/** What was learned of a skill; nothing where that was a skill of another origin. */
export function learnedEffect(learned: Learned | undefined, skill: Skill): LearnedEffect | undefined {
  const entry = learned?.skills.get(skill.qualifiedName);
  if (entry === undefined || (entry.origin !== undefined && entry.origin !== skill.origin)) return undefined;
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
