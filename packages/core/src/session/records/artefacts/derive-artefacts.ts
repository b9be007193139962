import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { JournalEntry } from "../journal.ts";
import { activationsArtefact } from "./activations-artefact.ts";
import { ARTEFACT_FILES, type ArtefactFrame } from "./artefact.ts";
import { policyArtefact } from "./policy-artefact.ts";
import { resourceReadsArtefact } from "./resource-reads-artefact.ts";
import { scriptExecutionsArtefact } from "./script-executions-artefact.ts";

/** Everything that follows from a journal alone, by name of the file. */
export function deriveArtefacts(
  entries: readonly JournalEntry[],
  faults: readonly Diagnostic[] = [],
): readonly (readonly [file: string, artefact: ArtefactFrame<string>])[] {
  return [
    [ARTEFACT_FILES.activations, activationsArtefact(entries)],
    [ARTEFACT_FILES.resourceReads, resourceReadsArtefact(entries)],
    [ARTEFACT_FILES.scriptExecutions, scriptExecutionsArtefact(entries)],
    [ARTEFACT_FILES.policy, policyArtefact(entries, faults)],
  ];
}
