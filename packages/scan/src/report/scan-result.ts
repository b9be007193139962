import type { Digest } from "@skillet/kit/digest";
import type { Finding, FindingSeverity } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import type { Opinion } from "../judge/judge.ts";
import type { RuleExample } from "../rule/rule-texts.ts";
import type { ScanReport, Verdict } from "../scan-report.ts";
import type { Excerpt } from "./excerpts-of.ts";

/** One skill that was scanned, as reports show it. */
export interface ScanResult {
  /** As the person named it: a folder, or a file where one was named. */
  readonly path: string;
  /** What the files of findings are relative to; differs from `path` where a file was named. */
  readonly folder: string;
  readonly name: string;
  /** Of the whole tree; absent where not every file could be read. */
  readonly digest?: Digest;
  readonly report: ScanReport;
  /** What somebody else thinks of it; it stands beside the verdict and changes nothing in the report. */
  readonly opinion?: Opinion;
  /** The lines that findings of the report are about; secrets in them are redacted. */
  readonly excerpts: ReadonlyMap<Finding, Excerpt>;
}

/** What people are told about a rule: everything but how it finds. */
export interface RuleDescription extends Omit<Rule, "find"> {
  /** Something that it finds, where one is known. */
  readonly example?: RuleExample;
}

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
