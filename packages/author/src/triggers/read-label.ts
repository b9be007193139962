import type { Located } from "@skillet/kit/located";

/** Keys of a row that hold the message, the most common first. */
export const QUERY_KEYS = ["query", "prompt", "message", "input", "text", "utterance"] as const;

/** Keys of a row that say whether it should call the skill. */
export const LABEL_KEYS = [
  "should_trigger",
  "shouldTrigger",
  "should-trigger",
  "expected",
  "trigger",
  "label",
  "expected_trigger",
] as const;

/** Keys of a row that name the skill that should be called. */
export const EXPECTED_SKILL_KEYS = ["expected_skill", "expectedSkill"] as const;

const YES = new Set([
  "true",
  "yes",
  "y",
  "1",
  "positive",
  "pos",
  "trigger",
  "should_trigger",
  "should-trigger",
]);
const NO = new Set([
  ...["false", "no", "n", "0", "negative", "neg", "none", "no_trigger", "no-trigger"],
  ...["should_not_trigger", "should-not-trigger", "not_trigger"],
]);

/** What a label says: yes, no, or undefined where it says neither. */
export function readLabel(node: Located, skillName: string | undefined): boolean | undefined {
  if (node.kind !== "scalar") return undefined;
  const { value } = node;
  if (typeof value === "boolean") return value;
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  if (YES.has(word)) return true;
  if (NO.has(word)) return false;
  return skillName !== undefined && value.trim() === skillName ? true : undefined;
}

/** Whether the skill that a row expects is this one; no skill at all is a no, and its name in other letters is neither. */
export function readExpectedSkill(node: Located, skillName: string | undefined): boolean | undefined {
  if (node.kind !== "scalar") return undefined;
  const { value } = node;
  if (value === null || value === false || value === "" || value === "none") return false;
  if (typeof value !== "string" || skillName === undefined) return undefined;
  const name = value.trim();
  if (name === skillName) return true;
  return name.toLowerCase() === skillName.toLowerCase() ? undefined : false;
}
