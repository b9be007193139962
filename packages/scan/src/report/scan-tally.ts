import type { FindingSeverity } from "../finding/finding.ts";
import type { ScanReport, Verdict } from "../scan-report.ts";

/** What many scans add up to. */
export interface ScanSummary {
  readonly skills: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly findings: Readonly<Record<FindingSeverity, number>>;
  readonly suppressed: number;
  readonly files: number;
  /** Files of which not everything was analysed. */
  readonly notWholly: number;
}

/** Adds up reports one at a time, so that none of them has to be kept. */
export class ScanTally {
  #skills = 0;
  #suppressed = 0;
  #files = 0;
  #notWholly = 0;
  readonly #verdicts = { safe: 0, caution: 0, dangerous: 0 };
  readonly #findings = { info: 0, warn: 0, critical: 0 };

  add(report: ScanReport): void {
    this.#skills += 1;
    this.#verdicts[report.verdict] += 1;
    for (const { severity } of report.findings) this.#findings[severity] += 1;
    this.#suppressed += report.suppressed.length;
    this.#files += report.coverage.length;
    for (const { state } of report.coverage) if (state !== "read") this.#notWholly += 1;
  }

  get summary(): ScanSummary {
    return {
      skills: this.#skills,
      verdicts: { ...this.#verdicts },
      findings: { ...this.#findings },
      suppressed: this.#suppressed,
      files: this.#files,
      notWholly: this.#notWholly,
    };
  }
}
