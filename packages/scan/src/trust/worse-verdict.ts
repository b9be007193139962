import type { Verdict } from "../scan-report.ts";

const ORDER: readonly Verdict[] = ["safe", "caution", "dangerous"];

/** The worse of two verdicts; one that is not known is as bad as can be. */
export function worseVerdict(left: string, right: string): Verdict {
  return ORDER[Math.max(rankOf(left), rankOf(right))] ?? "dangerous";
}

function rankOf(verdict: string): number {
  const rank = (ORDER as readonly string[]).indexOf(verdict);
  return rank === -1 ? ORDER.length - 1 : rank;
}
