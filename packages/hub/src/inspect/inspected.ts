import type { Origin } from "@skillet/core";
import type { ScanReport, TrustDecision } from "@skillet/scan";
import type { Candidate } from "../candidate/candidate.ts";

/** A candidate with what a scan says of exactly its bytes, and what follows from where they came from. */
export interface Inspected {
  readonly candidate: Candidate;
  readonly report: ScanReport;
  readonly origin: Origin;
  readonly decision: TrustDecision;
}
