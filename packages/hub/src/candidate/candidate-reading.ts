import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Candidate } from "./candidate.ts";

/** A candidate, or why there is none. */
export type CandidateReading = Candidate | UnfitCandidate;

/** What lies in a source and cannot be installed as it is. */
export interface UnfitCandidate {
  readonly name: string;
  /** A sentence for people. */
  readonly problem: string;
  /** Default: it is unfit. */
  readonly code?: "signature-missing";
  readonly diagnostics: readonly Diagnostic[];
}
