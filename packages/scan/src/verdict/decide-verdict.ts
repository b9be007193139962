import type { FileCoverage } from "../file/file-kind.ts";
import type { Finding } from "../finding/finding.ts";
import type { Verdict } from "../scan-report.ts";

/**
 * Decides by two thresholds: a critical finding (a complete chain or an unambiguous token) makes a skill
 * dangerous; a warning, or a file that was not read whole, makes it caution; notes change nothing.
 */
export function decideVerdict(findings: readonly Finding[], coverage: readonly FileCoverage[]): Verdict {
  if (findings.some(({ severity }) => severity === "critical")) return "dangerous";
  if (findings.some(({ severity }) => severity === "warn")) return "caution";
  return coverage.every(({ state }) => state === "read") ? "safe" : "caution";
}

const ORDER: readonly Verdict[] = ["safe", "caution", "dangerous"];

/** The worse of two verdicts; an unknown one counts as dangerous. */
export function worseVerdict(left: string, right: string): Verdict {
  return ORDER[Math.max(rankOf(left), rankOf(right))] ?? "dangerous";
}

function rankOf(verdict: string): number {
  const rank = (ORDER as readonly string[]).indexOf(verdict);
  return rank === -1 ? ORDER.length - 1 : rank;
}
