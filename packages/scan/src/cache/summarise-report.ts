import type { KnownFinding, KnownVerdict } from "@skillet/core/internal";
import type { Finding } from "../finding/finding.ts";
import type { ScanReport } from "../scan-report.ts";

// Enough for people to see what is the matter; the whole report is a scan away.
const MAX_FINDINGS = 5;
const MAX_MESSAGE_CHARACTERS = 300;
const MAX_PATH_CHARACTERS = 200;

/** The part of a report that is kept: the verdict, counts and the worst few findings, never their evidence. */
export function summariseReport({
  verdict,
  findings,
  opinion,
}: ScanReport): Omit<KnownVerdict, "generation"> {
  const count = (severity: Finding["severity"]): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const critical = findings.filter(({ severity }) => severity === "critical");
  return {
    verdict,
    counts: { critical: critical.length, warn: count("warn"), info: count("info") },
    findings: findings
      .filter(({ severity }) => severity !== "info")
      .slice(0, MAX_FINDINGS)
      .map(shorten),
    criticalRules: [...new Set(critical.map(({ rule }) => rule))].sort(),
    ...(opinion && { readBy: opinion.by }),
  };
}

function shorten({ rule, severity, file, line, message }: Finding): KnownFinding {
  return {
    rule,
    severity,
    file: file.slice(0, MAX_PATH_CHARACTERS),
    line,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
  };
}
