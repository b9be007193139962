import type { Digest } from "@skillet/kit/digest";
import type { Finding, FindingSeverity } from "@skillet/scan";
import { outerFile, type ScannedTarget } from "./scan-targets.ts";

/** A result as the JSON document shows it. */
export function resultRow(result: ScannedTarget): Readonly<Record<string, unknown>> {
  const { path, name, digest, report, opinion, fileDigests } = result;
  const { verdict, findings, suppressed, capabilities, coverage, ruleSet } = report;
  return {
    path,
    name,
    ...(digest !== undefined && { digest }),
    verdict,
    summary: {
      critical: countOf(findings, "critical"),
      warn: countOf(findings, "warn"),
      info: countOf(findings, "info"),
      suppressed: suppressed.length,
      notWholly: coverage.filter(({ state }) => state !== "read").length,
    },
    findings: findings.map((finding) => findingRow(finding, fileDigests)),
    suppressed: suppressed.map(({ finding, reason }) => ({
      reason,
      finding: findingRow(finding, fileDigests),
    })),
    capabilities,
    coverage,
    ruleSet,
    ...(opinion !== undefined && { opinion }),
  };
}

/** How many findings are of a severity. */
export function countOf(findings: readonly Finding[], severity: FindingSeverity): number {
  return findings.reduce((number, finding) => number + (finding.severity === severity ? 1 : 0), 0);
}

// Written out, so that a field added to the scanner does not change the document unseen.
function findingRow(
  finding: Finding,
  fileDigests: ReadonlyMap<string, Digest>,
): Readonly<Record<string, unknown>> {
  const { rule, category, severity, file, line, message, evidence } = finding;
  const { chain, related, demoted, remedy, owasp, fingerprint } = finding;
  const fileDigest = fileDigests.get(outerFile(file));
  return {
    rule,
    category,
    severity,
    file,
    line,
    message,
    evidence,
    chain,
    ...(related !== undefined && { related }),
    ...(demoted !== undefined && { demoted }),
    remedy,
    owasp,
    fingerprint,
    ...(fileDigest !== undefined && { fileDigest }),
  };
}
