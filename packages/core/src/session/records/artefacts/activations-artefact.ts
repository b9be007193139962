import type { JournalEntry } from "../journal.ts";
import type { ActivationRecord } from "../session-record.ts";
import { type ArtefactFrame, frameOf } from "./artefact.ts";
import { type SkillPaths, skillPaths } from "./path-in-source.ts";
import { pickPresent } from "./pick-present.ts";

const FACTS = ["digest", "treeDigest", "arguments", "duplicate", "drifted", "diagnostics"] as const;

/** `skill-activations.json`: every text of a skill that was handed to a model. */
export interface ActivationsArtefact extends ArtefactFrame<"skill-activations"> {
  readonly activations: readonly RecordedActivation[];
}

/** One activation. */
interface RecordedActivation
  extends SkillPaths,
    Pick<ActivationRecord, "name" | "source" | (typeof FACTS)[number]> {
  readonly sequence: number;
  readonly runId: string;
  readonly activatedAt: string;
  /** A skill is context, never an instruction of the system or the user. */
  readonly cfcPromptRole: "context";
}

/** Derives the list of activations from a journal. */
export function activationsArtefact(entries: readonly JournalEntry[]): ActivationsArtefact {
  return {
    ...frameOf("skill-activations", entries),
    activations: entries.flatMap((entry) =>
      entry.record.kind === "activation" ? [describe(entry, entry.record)] : [],
    ),
  };
}

function describe(entry: JournalEntry, record: ActivationRecord): RecordedActivation {
  return {
    name: record.name,
    source: record.source,
    sequence: entry.sequence,
    runId: entry.runId,
    activatedAt: entry.time,
    cfcPromptRole: "context",
    ...skillPaths(record),
    ...pickPresent(record, FACTS),
  };
}
