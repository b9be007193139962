import { cutText, removeHidden } from "@skillet/kit/text";

/** What use has taught about one skill. */
export interface LearnedSkill {
  /** The skill's origin at that time; the entry does not apply to other origins. Absent: to any. */
  readonly origin?: string;
  /** The start of the SKILL.md digest then; the entry counts half for other texts. Absent: for any text. */
  readonly digest?: string;
  /** The number of turns in which the skill was used, offered but ignored, or wrong. */
  readonly used: number;
  readonly ignored: number;
  readonly wrong: number;
  /** Added to the bar for offering the skill, in log-odds: above 0 it is offered less often, below 0 more. */
  readonly threshold: number;
  /** Messages that the skill was used for. */
  readonly wanted: readonly string[];
  /** Messages that the skill was offered for but not wanted. */
  readonly unwanted: readonly string[];
  /** Messages that a model wrote from the skill's text, and the digest of that SKILL.md. */
  readonly generated?: readonly string[];
  readonly generatedFrom?: string;
  readonly note?: string;
  /** The user has fixed this entry: learning does not change it. */
  readonly keep?: boolean;
}

/** What use has taught, by the skills' qualified names. */
export interface Learned {
  readonly skills: ReadonlyMap<string, LearnedSkill>;
}

export const NOTHING_LEARNED: Learned = { skills: new Map() };

/**
 * How far a threshold can move. Less far down than up: an attacker who forges records gains little, and a
 * skill that is offered too rarely can still be named.
 */
export const THRESHOLD_BOUNDS = { lowest: -0.75, highest: 1.5 };

/** Bounds of one entry; anything beyond is neither read nor written. */
export const LEARNED_LIMITS = {
  skills: 2_000,
  examples: 10,
  generated: 12,
  exampleCharacters: 300,
  noteCharacters: 1_000,
  nameCharacters: 256,
  count: 1_000_000,
};

/** This many hexadecimal digits of a digest distinguish the texts of a skill. */
export const LEARNED_DIGEST_DIGITS = 16;

/** A message as one visible, short line for a learned file; undefined if nothing is left. */
export function cleanExample(message: string): string | undefined {
  const line = removeHidden(message.slice(0, MAX_LOOKED_AT)).replace(/\s+/g, " ").trim();
  return cutText(line, LEARNED_LIMITS.exampleCharacters).trim() || undefined;
}

const MAX_LOOKED_AT = 4_000;
