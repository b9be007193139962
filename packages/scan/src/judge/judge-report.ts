import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillFile } from "../file/skill-file.ts";
import type { ScanReport, Verdict } from "../scan-report.ts";
import { worseVerdict } from "../verdict/decide-verdict.ts";
import type { Judge, Opinion } from "./judge.ts";

export interface JudgedReport {
  /** As the rules made it; no opinion changes it. */
  readonly report: ScanReport;
  readonly opinion?: Opinion;
  /** The worse of the two. */
  readonly verdict: Verdict;
  readonly diagnostics: readonly Diagnostic[];
}

/** Asks for a second opinion on a report. */
export async function judgeReport(options: {
  readonly report: ScanReport;
  readonly files: readonly SkillFile[];
  readonly judge: Judge;
  readonly signal?: AbortSignal;
}): Promise<JudgedReport> {
  const { report, files, judge, signal } = options;
  const { opinion, diagnostics } = await judge.judge({ files, ...(signal && { signal }) });
  return {
    report,
    ...(opinion !== undefined && { opinion }),
    verdict: opinion === undefined ? report.verdict : worseVerdict(report.verdict, opinion.verdict),
    diagnostics,
  };
}
