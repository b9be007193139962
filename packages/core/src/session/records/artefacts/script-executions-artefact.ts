import type { JournalEntry } from "../journal.ts";
import type { ScriptExecutionRecord } from "../session-record.ts";
import { type ArtefactFrame, frameOf } from "./artefact.ts";
import { type ResourcePaths, resourcePaths } from "./path-in-source.ts";
import { pickPresent } from "./pick-present.ts";

const FACTS = [
  "tool",
  "outcome",
  "executionTarget",
  "runtime",
  "argv",
  "args",
  "cwd",
  "registryDigest",
  "observedDigest",
  "digestMatchesRegistry",
  "registrySizeBytes",
  "observedSizeBytes",
  "treeDigest",
  "exitCode",
  "signal",
  "timedOut",
  "cancelled",
  "truncated",
  "limit",
  "sandbox",
  "grants",
  "durationMs",
  "diagnostics",
  "error",
] as const;

/** `skill-script-executions.json`: every script that was asked for, refusals among them. */
export interface ScriptExecutionsArtefact extends ArtefactFrame<"skill-script-executions"> {
  readonly executions: readonly RecordedExecution[];
}

/** One execution; what the script wrote is in the output of the tool alone. */
interface RecordedExecution
  extends ResourcePaths,
    Pick<ScriptExecutionRecord, "skillName" | "path" | "status" | (typeof FACTS)[number]> {
  readonly type: "skillet.skill-script-execution";
  /** Unique in the journal. */
  readonly outputId: string;
  readonly runId: string;
  readonly executedAt: string;
}

/** Derives the list of executions from a journal. */
export function scriptExecutionsArtefact(entries: readonly JournalEntry[]): ScriptExecutionsArtefact {
  return {
    ...frameOf("skill-script-executions", entries),
    executions: entries.flatMap((entry) =>
      entry.record.kind === "script-execution" ? [describe(entry, entry.record)] : [],
    ),
  };
}

function describe(entry: JournalEntry, record: ScriptExecutionRecord): RecordedExecution {
  return {
    type: "skillet.skill-script-execution",
    outputId: `${entry.runId}:${entry.sequence}`,
    runId: entry.runId,
    skillName: record.skillName,
    path: record.path,
    status: record.status,
    executedAt: entry.time,
    ...resourcePaths(record),
    ...pickPresent(record, FACTS),
  };
}
