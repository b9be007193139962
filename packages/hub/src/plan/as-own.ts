import type { CandidateReading } from "../candidate/candidate-reading.ts";
import type { HubParts } from "./hub-parts.ts";

/**
 * A reading as it counts: a folder of this machine is the user's own only where they named it themselves, and where it
 * does not lie in a project that nobody trusts. Else it counts as the community's.
 */
export function asOwn(
  { isTrusted }: Pick<HubParts, "isTrusted">,
  reading: CandidateReading,
  { isNamed }: { readonly isNamed: boolean },
): CandidateReading {
  if ("problem" in reading || reading.resolved.kind !== "local") return reading;
  return isNamed && isTrusted(reading.resolved.path) ? reading : { ...reading, unproven: true };
}
