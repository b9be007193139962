import type { ActivationRecord } from "../session-record.ts";
import type { Comparison } from "./compare-skill.ts";

/** A skill that a run had activated, and what became of it. */
export interface VerifiedSkill extends Omit<Comparison, "index"> {
  /** As it was recorded. */
  readonly name: string;
  /** The last activation for each set of arguments, oldest first. */
  readonly activations: readonly ActivationRecord[];
}
