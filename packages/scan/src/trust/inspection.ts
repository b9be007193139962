import type { Origin } from "@skillet/core";
import type { KnownVerdict } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Verdict } from "../scan-report.ts";
import type { TrustDecision } from "./decide.ts";

/** The facts about one skill, and what follows from them. */
export interface Inspection {
  /** Of what was judged; absent where it could not be read whole, and then no one can approve it. */
  readonly digest?: Digest;
  readonly origin: Origin;
  /** The worse of the scan's verdict and a judge's. */
  readonly verdict: Verdict;
  readonly known: Omit<KnownVerdict, "generation">;
  readonly decision: TrustDecision;
  /** Someone said yes to exactly this. */
  readonly approved: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Unjudged {
  readonly problem: string;
}
