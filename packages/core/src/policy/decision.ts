/** What a policy says about one act, and why. */
export interface Decision {
  readonly outcome: "allow" | "ask" | "deny";
  readonly reason: string;
  /** The rule that decided, as it was written, with where it stands. */
  readonly rule?: string;
}
