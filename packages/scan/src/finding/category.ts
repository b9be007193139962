/** Which kind of harm a rule is about. */
export type Category =
  | "social-engineering"
  | "execution"
  | "exfiltration"
  | "prompt-injection"
  | "hidden-text"
  | "unicode"
  | "obfuscation"
  | "persistence"
  | "agent-control"
  | "privilege"
  | "destruction"
  | "credentials"
  | "supply-chain"
  | "binary"
  | "coherence"
  | "trigger"
  | "resource-abuse"
  | "not-analysed"
  /** From a user's rule pack. */
  | "custom";
