import { createHash } from "node:crypto";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillFile } from "../file/file-kind.ts";
import type { Finding } from "../finding/finding.ts";
import { rule } from "../rule/rule-texts.ts";
import type { Opinion, ScanReport } from "../scan-report.ts";
import { decideVerdict } from "../verdict/decide-verdict.ts";
import type { Judge } from "./create-judge.ts";

/** Not found by facts: `judgeReport` makes it from a judge's opinion. */
const RD1 = rule("RD1");

/** Has a judge read a skill; an accusation becomes a finding of the report, and a failure changes nothing. */
export async function judgeReport(options: {
  readonly report: ScanReport;
  readonly files: readonly SkillFile[];
  readonly judge: Judge;
  /** Whether a judge that calls it safe clears warnings; `dangerous` is never cleared. Default false. */
  readonly lowersCaution?: boolean;
  readonly signal?: AbortSignal;
}): Promise<{ readonly report: ScanReport; readonly diagnostics: readonly Diagnostic[] }> {
  const { report, files, judge, signal, lowersCaution = false } = options;
  const { opinion, diagnostics } = await judge.judge({ files, report, ...(signal && { signal }) });
  if (opinion === undefined) return { report, diagnostics };
  const read = { ...report, opinion };
  if (opinion.verdict !== "safe") return { report: raise(read, opinion), diagnostics };
  return { report: lowersCaution ? lower(read, opinion) : read, diagnostics };
}

function raise(report: ScanReport, { verdict, by, reasons }: Opinion): ScanReport {
  const severity = verdict === "dangerous" ? "critical" : "warn";
  const message = [`${by} calls it ${verdict}`, ...reasons].join(": ").replace(/(?<![.!?])$/, ".");
  const fingerprint = createHash("sha256").update(`RD1\0${by}\0${verdict}`).digest("hex").slice(0, 16);
  const finding: Finding = {
    ...{ rule: RD1.id, category: RD1.category, severity, file: "SKILL.md", line: 1 },
    ...{ message, evidence: "", chain: [], remedy: RD1.remedy, owasp: RD1.owasp, fingerprint },
  };
  const worse = report.findings.filter(
    (other) => other.severity === "critical" || other.severity === severity,
  );
  const findings = [...worse, finding, ...report.findings.filter((other) => !worse.includes(other))];
  return { ...report, findings, verdict: decideVerdict(findings, report.coverage) };
}

function lower(report: ScanReport, { by }: Opinion): ScanReport {
  if (report.verdict !== "caution") return report;
  const [warnings, findings] = [true, false].map((wanted) =>
    report.findings.filter(({ severity }) => (severity === "warn") === wanted),
  ) as [Finding[], Finding[]];
  const dismissed = warnings.map((finding) => ({ finding, reason: `${by} read it and calls it safe` }));
  // A file that was not read whole still means caution, as the judge did not see it whole either.
  const verdict = decideVerdict(findings, report.coverage);
  return { ...report, verdict, findings, suppressed: [...report.suppressed, ...dismissed] };
}
