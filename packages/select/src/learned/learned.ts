import { cutText, removeHidden } from "@skillet/kit/text";

/** Learned from use about one skill. */
export interface LearnedSkill {
  /** The skill's origin when it was learned; of a skill of another origin it says nothing. Absent: of any. */
  readonly origin?: string;
  /** The beginning of the digest of the SKILL.md that it was learned on; on another text it counts half. Absent: on any. */
  readonly digest?: string;
  /** In how many turns it was used, offered and ignored, and wrong. */
  readonly used: number;
  readonly ignored: number;
  readonly wrong: number;
  /** Added to what it takes to offer the skill, in log-odds: above 0 it is offered less often, below 0 more often. */
  readonly threshold: number;
  /** Messages that it was used for. */
  readonly wanted: readonly string[];
  /** Messages that it was offered for and was not wanted. */
  readonly unwanted: readonly string[];
  /** Messages that a model wrote from the skill's text, as a user would call it, and the digest of the SKILL.md they are from. */
  readonly generated?: readonly string[];
  readonly generatedFrom?: string;
  /** A person's own words. */
  readonly note?: string;
  /** A person decided: learning leaves the entry as it is. */
  readonly keep?: boolean;
}

/** Learned from use, by the qualified names of skills. */
export interface Learned {
  readonly skills: ReadonlyMap<string, LearnedSkill>;
}

export const NOTHING_LEARNED: Learned = { skills: new Map() };

/**
 * How far a threshold can move. Less far down than up: an attacker who forges records gains little by having a skill called, and
 * a skill that is offered too rarely can still be asked for by name.
 */
export const THRESHOLD_BOUNDS = { lowest: -0.75, highest: 1.5 };

/** The limits of one entry; more is not read and not written. */
export const LEARNED_LIMITS = {
  skills: 2_000,
  examples: 10,
  generated: 12,
  exampleCharacters: 300,
  noteCharacters: 1_000,
  nameCharacters: 256,
  count: 1_000_000,
};

/** So many hexadecimal digits of a digest tell one text of a skill from another. */
export const LEARNED_DIGEST_DIGITS = 16;

/** A message as an example in a learned file: one line, nothing hidden, not too long; undefined when nothing is left. */
export function cleanExample(message: string): string | undefined {
  const line = removeHidden(message.slice(0, MAX_LOOKED_AT)).replace(/\s+/g, " ").trim();
  return cutText(line, LEARNED_LIMITS.exampleCharacters).trim() || undefined;
}

const MAX_LOOKED_AT = 4_000;
