import type { Digest } from "@skillet/kit/digest";

/** What came of a skill in one turn. */
export interface TurnOutcome {
  /** Qualified. */
  readonly name: string;
  /** Of the SKILL.md that the session had. */
  readonly digest: Digest;
  readonly origin: string;
  readonly outcome: "used" | "ignored" | "wrong";
  /** It was offered and ignored, and another skill was used, or loaded by the decision: that says less about it. */
  readonly isDisplaced: boolean;
  /** What the turn was about, where its text was recorded. */
  readonly message?: string;
}
