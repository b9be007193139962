import type { Approval, KnownVerdict } from "@skillet/core/internal";
import { worseVerdict } from "../verdict/decide-verdict.ts";

/**
 * Whether a yes of then is one to what the rules say now.
 *
 * The bytes are the same, but newer rules may see more in them than was told to whoever said yes.
 */
export function approvalHolds(
  approval: Approval,
  now: { readonly verdict: string; readonly criticalRules: KnownVerdict["criticalRules"] },
): boolean {
  return (
    worseVerdict(approval.verdict, now.verdict) === worseVerdict(approval.verdict, approval.verdict) &&
    now.criticalRules.every((rule) => approval.criticalRules.includes(rule))
  );
}
