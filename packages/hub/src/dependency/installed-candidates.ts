import type { Candidate } from "../candidate/candidate.ts";
import { candidateOfTree } from "../candidate/candidate-of-tree.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { chosenEntries } from "../plan/plan-update.ts";
import { readPlaced } from "../plan/read-placed.ts";

/** What is installed, read from what was kept of it; what is neither kept nor as it was installed is left out. */
export async function installedCandidates(
  parts: HubParts,
  names: readonly string[],
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const [name, entry] of chosenEntries(parts, names)) {
    const files = (await parts.store.get(entry.digest)) ?? (await readPlaced(parts, entry));
    const { kind, resolved, folder } = entry;
    if (files !== undefined)
      candidates.push(
        candidateOfTree(files, { kind, name, resolved, folder, identity: undefined, isProven: false }),
      );
  }
  return candidates;
}
