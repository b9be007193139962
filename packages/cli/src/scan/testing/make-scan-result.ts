import type { ScanReport } from "@skillet/scan";
import { makeResult } from "../../../../scan/src/report/testing/make-result.ts";
import type { ScannedTarget } from "../scan-targets.ts";

export { makeFinding } from "../../../../scan/src/report/testing/make-result.ts";

/** A result with everything that a test does not care about filled in. */
export function makeScanResult(
  changes: Partial<Omit<ScannedTarget, "report">> & { readonly report?: Partial<ScanReport> } = {},
): ScannedTarget {
  return {
    allFindings: [],
    allSuppressed: [],
    fileDigests: new Map(),
    diagnostics: [],
    ...changes,
    ...makeResult(changes),
  };
}
