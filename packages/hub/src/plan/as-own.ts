import { dirname, join } from "node:path";
import type { Candidate } from "../candidate/candidate.ts";
import type { CandidateReading } from "../candidate/candidate-reading.ts";
import type { HubParts } from "./hub-parts.ts";

/**
 * A reading as it counts: a folder of this machine is the user's own only where they named it themselves, and where nothing
 * of it lies in a project that nobody trusts. Else it counts as the community's.
 */
export function asOwn(
  { untrustedAround }: Pick<HubParts, "untrustedAround">,
  reading: CandidateReading,
  { isNamed }: { readonly isNamed: boolean },
): CandidateReading {
  if ("problem" in reading || reading.resolved.kind !== "local") return reading;
  const places = [reading.resolved.path, ...foldersOf(reading, reading.resolved.path)];
  const untrusted = places.map((place) => untrustedAround(place)).find((root) => root !== undefined);
  if (untrusted !== undefined) return { ...reading, unproven: true, untrusted };
  return isNamed ? reading : { ...reading, unproven: true };
}

// Whoever names a folder of folders names no clone below it, and a clone may lie within a skill as well.
function foldersOf({ folder, files }: Candidate, path: string): ReadonlySet<string> {
  return new Set(files.map((file) => dirname(join(path, folder, file.path))));
}
