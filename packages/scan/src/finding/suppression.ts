import type { Digest } from "@skillet/kit/digest";
import type { Finding } from "./finding.ts";

/** Someone's word that a finding is fine, for exactly these bytes. */
export interface Suppression {
  readonly rule: string;
  /** Relative to the skill. */
  readonly file: string;
  /** Of that file; any change ends the suppression. */
  readonly digest: Digest;
  /** Of one finding; without it all of the rule's in that file. */
  readonly fingerprint?: string;
  readonly reason: string;
  /** Where its entry begins, for messages. */
  readonly line?: number;
}

/** A finding that does not count, and why. */
export interface SuppressedFinding {
  readonly finding: Finding;
  readonly reason: string;
  /** The dismissal; absent where a baseline knows the finding. */
  readonly by?: Suppression;
}
