import type { Diagnostic } from "@skillet/kit/diagnostics";
import { BaselineUse } from "./baseline-use.ts";
import { loadScanning } from "./load-scanning.ts";
import type { ScanInputs } from "./read-scan-inputs.ts";
import type { ScannedTarget } from "./scan-targets.ts";

/** Gathers over a whole scan what was odd about what it was given: dismissals and baselines that did nothing. */
export interface ScanNotices {
  add(result: ScannedTarget): void;
  /** When everything was scanned. */
  end(): readonly Diagnostic[];
}

/** Begins to follow the dismissals and the baseline of a scan. */
export function followInputs({ dismissals, baseline }: ScanInputs): ScanNotices {
  const { SuppressionUse } = loadScanning();
  const dismissed = dismissals && new SuppressionUse(dismissals.suppressions, { file: dismissals.file });
  const known = baseline && new BaselineUse(baseline);
  return {
    add: (result) => {
      dismissed?.add({ findings: result.allFindings, suppressed: result.allSuppressed });
      known?.add(result);
    },
    end: () => [...(dismissed?.diagnostics() ?? []), ...(known?.diagnostics() ?? [])],
  };
}
