import type { JournalEntry } from "../journal.ts";
import type { ResourceReadRecord } from "../session-record.ts";
import { type ArtefactFrame, frameOf } from "./artefact.ts";
import { type ResourcePaths, resourcePaths } from "./path-in-source.ts";
import { pickPresent } from "./pick-present.ts";

const FACTS = [
  "registryDigest",
  "observedDigest",
  "digestMatchesRegistry",
  "registrySizeBytes",
  "observedSizeBytes",
  "contentKind",
  "maxBytes",
  "truncated",
  "diagnostics",
  "error",
] as const;

/** `skill-resource-reads.json`: every file of a skill that was asked for, refusals among them. */
export interface ResourceReadsArtefact extends ArtefactFrame<"skill-resource-reads"> {
  readonly reads: readonly RecordedRead[];
}

/** One read. */
interface RecordedRead
  extends ResourcePaths,
    Pick<ResourceReadRecord, "skillName" | "path" | "status" | (typeof FACTS)[number]> {
  readonly type: "skillet.skill-resource-read";
  /** Unique in the journal. */
  readonly outputId: string;
  readonly runId: string;
  readonly readAt: string;
  readonly cfcPromptRole: "context";
  /** Of the resource. */
  readonly kind?: string;
}

/** Derives the list of reads from a journal. */
export function resourceReadsArtefact(entries: readonly JournalEntry[]): ResourceReadsArtefact {
  return {
    ...frameOf("skill-resource-reads", entries),
    reads: entries.flatMap((entry) =>
      entry.record.kind === "resource-read" ? [describe(entry, entry.record)] : [],
    ),
  };
}

function describe(entry: JournalEntry, record: ResourceReadRecord): RecordedRead {
  return {
    type: "skillet.skill-resource-read",
    outputId: `${entry.runId}:${entry.sequence}`,
    runId: entry.runId,
    skillName: record.skillName,
    path: record.path,
    status: record.status,
    readAt: entry.time,
    cfcPromptRole: "context",
    ...(record.resourceKind === undefined ? {} : { kind: record.resourceKind }),
    ...resourcePaths(record),
    ...pickPresent(record, FACTS),
  };
}
