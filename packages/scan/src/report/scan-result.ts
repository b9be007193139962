import type { Digest } from "@skillet/kit/digest";
import type { Finding, FindingSeverity, Rule } from "../finding/finding.ts";
import type { RuleExample } from "../rule/rule-texts.ts";
import type { ScanReport, Verdict } from "../scan-report.ts";
import type { Excerpt } from "./excerpts-of.ts";

/** One scanned skill, as reports show it. */
export interface ScanResult {
  /** As the user named it: a folder or a file. */
  readonly path: string;
  /** The files of findings are relative to it; differs from `path` if a file was named. */
  readonly folder: string;
  readonly name: string;
  /** Of the whole tree; absent if some file could not be read. */
  readonly digest?: Digest;
  readonly report: ScanReport;
  /** The lines of the report's findings; secrets in them are redacted. */
  readonly excerpts: ReadonlyMap<Finding, Excerpt>;
}

/** A rule as users see it: everything but how it finds. */
export interface RuleDescription extends Omit<Rule, "find"> {
  readonly example?: RuleExample;
}

/** Totals of many scans. */
export interface ScanSummary {
  readonly skills: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly findings: Readonly<Record<FindingSeverity, number>>;
  readonly suppressed: number;
  readonly files: number;
  /** Files that were not analysed completely. */
  readonly notWholly: number;
}

/** Adds up reports one at a time, so that none of them needs to be kept. */
export class ScanTally {
  readonly #summary = {
    skills: 0,
    verdicts: { safe: 0, caution: 0, dangerous: 0 },
    findings: { info: 0, warn: 0, critical: 0 },
    suppressed: 0,
    files: 0,
    notWholly: 0,
  };

  add({ verdict, findings, suppressed, coverage }: ScanReport): void {
    const summary = this.#summary;
    summary.skills += 1;
    summary.verdicts[verdict] += 1;
    for (const { severity } of findings) summary.findings[severity] += 1;
    summary.suppressed += suppressed.length;
    summary.files += coverage.length;
    for (const { state } of coverage) if (state !== "read") summary.notWholly += 1;
  }

  get summary(): ScanSummary {
    return this.#summary;
  }
}
