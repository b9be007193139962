import type { PlanItem, Refusal } from "../plan/plan.ts";
import type { HubOutcome, HubResult } from "./hub-result.ts";

/** What became of an item of a plan. */
export function resultOf(item: PlanItem, outcome: HubOutcome, reason?: string): HubResult {
  const { name, entry, changes, candidate } = item;
  const { source, resolved, digest, targets } = entry;
  return {
    name,
    source,
    resolved,
    digest,
    outcome,
    ...(reason !== undefined && { reason }),
    ...(changes !== undefined && { changes }),
    ...(candidate.signers !== undefined && { signedBy: candidate.signers }),
    targets,
  };
}

/** What an item has become when it is carried out. */
export function doneOutcome({ action }: PlanItem): HubOutcome {
  return OUTCOMES[action];
}

const OUTCOMES: Readonly<Record<PlanItem["action"], HubOutcome>> = {
  install: "installed",
  update: "updated",
  rollback: "rolled-back",
  restore: "restored",
  unchanged: "unchanged",
};

/** What became of a refusal; `unavailable` says what it is called where the others go on without it. */
export function refusedResult(
  { name, source, code, reason, digest, inspected }: Refusal,
  unavailable: "refused" | "failed",
): HubResult {
  const outcome = code === "blocked" ? "blocked" : code === "unavailable" ? unavailable : "refused";
  const resolved = inspected?.candidate.resolved;
  return { name, source, outcome, reason, ...(digest && { digest }), ...(resolved && { resolved }) };
}
