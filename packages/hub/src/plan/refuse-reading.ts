import type { UnfitCandidate } from "../candidate/candidate-reading.ts";
import type { Refusal } from "./plan.ts";

/** The refusal of something that was read and cannot be installed. */
export function refuseReading(
  { name, problem, code }: UnfitCandidate,
  { source, verb }: { readonly source: string; readonly verb: "installed" | "updated" },
): Refusal {
  const reason = `${name} cannot be ${verb}: ${problem.replace(/[.]$/, "")}.`;
  return { name, source, code: code ?? "unfit", reason };
}
