import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { withFileLock, writeAtomic } from "@skillet/kit/files";
import type { ResourceIndex } from "../../../registry/resource.ts";
import type { Snapshot } from "../../../registry/snapshot.ts";
import { JOURNAL_FILE, type JournalEntry, readSettledJournal } from "../journal.ts";
import type { PolicyRecord } from "../session-record.ts";
import {
  ARTEFACT_FILES,
  type ArtefactFrame,
  frameOf,
  pickPresent,
  resourcePaths,
  serialiseArtefact,
  skillPaths,
} from "./artefact.ts";
import { registryArtefact } from "./registry-artefact.ts";

/**
 * Writes the artefacts of a run from its journal, each in one step; the same journal gives the same bytes.
 *
 * @param resources The files of the skills that were frozen, by qualified name.
 */
export async function writeArtefacts(
  runFolder: string,
  { snapshot, resources }: { snapshot: Snapshot; resources: ReadonlyMap<string, ResourceIndex> },
): Promise<void> {
  // Writers take turns, so that none replaces what another made from more records than it has seen itself.
  await withFileLock(join(runFolder, "artefacts.lock"), async () => {
    const { entries, diagnostics } = await readSettledJournal(runFolder);
    const faults = diagnostics
      .filter(({ severity }) => severity === "error")
      .map((fault) => ({ ...fault, file: JOURNAL_FILE }));
    const artefacts = [
      [ARTEFACT_FILES.registry, registryArtefact(entries, snapshot, resources)] as const,
      ...deriveArtefacts(entries, faults),
    ];
    for (const [file, artefact] of artefacts)
      await writeAtomic(join(runFolder, file), serialiseArtefact(artefact), { mode: 0o600, links: "refuse" });
  });
}

/** Everything that follows from a journal alone, by name of the file; `faults` are the errors met in reading it. */
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

// The fields of records that artefacts repeat, in this order.
const ACTIVATION = ["digest", "treeDigest", "arguments", "duplicate", "drifted", "diagnostics"] as const;
const POLICY = [
  "mode",
  "interactive",
  "snapshotVersion",
  "vetting",
  "parentRunId",
  "roots",
  "skills",
  "scripts",
  "hostScripts",
  "activationSources",
  "diagnostics",
] as const;
const POLICY_CHANGE = ["mode", "interactive", "snapshotVersion"] as const;
const REFUSAL = ["what", "skillName", "subject", "error", "rule"] as const;
const FORK = [
  "event",
  "childRunId",
  "childFolder",
  "skills",
  "tools",
  "scripts",
  "context",
  "summaryCharacters",
] as const;
const RECOVERY = ["file", "digest", "bytes"] as const;
const READ = [
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
const EXECUTION = [
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

/** `skill-activations.json`: every text of a skill that was handed to a model. */
function activationsArtefact(entries: readonly JournalEntry[]): ArtefactFrame<string> {
  const activations = entries.flatMap(({ sequence, runId, time, record }) => {
    if (record.kind !== "activation") return [];
    const { name, source } = record;
    // A skill is context, never an instruction of the system or the user.
    const moment = { sequence, runId, activatedAt: time, cfcPromptRole: "context" };
    return [{ name, source, ...moment, ...skillPaths(record), ...pickPresent(record, ACTIVATION) }];
  });
  return { ...frameOf("skill-activations", entries), ...{ activations } };
}

/** `skill-resource-reads.json`: every file of a skill that was asked for, refusals among them. */
function resourceReadsArtefact(entries: readonly JournalEntry[]): ArtefactFrame<string> {
  const reads = entries.flatMap(({ sequence, runId, time, record }) => {
    if (record.kind !== "resource-read") return [];
    const { skillName, path, status, resourceKind } = record;
    return [
      {
        type: "skillet.skill-resource-read",
        outputId: `${runId}:${sequence}`,
        ...{ runId, skillName, path, status, readAt: time, cfcPromptRole: "context" },
        ...(resourceKind !== undefined && { kind: resourceKind }),
        ...resourcePaths(record),
        ...pickPresent(record, READ),
      },
    ];
  });
  return { ...frameOf("skill-resource-reads", entries), ...{ reads } };
}

/** `skill-script-executions.json`: every script that was asked for, refusals among them; never what one wrote. */
function scriptExecutionsArtefact(entries: readonly JournalEntry[]): ArtefactFrame<string> {
  const executions = entries.flatMap(({ sequence, runId, time, record }) => {
    if (record.kind !== "script-execution") return [];
    const { skillName, path, status } = record;
    return [
      {
        type: "skillet.skill-script-execution",
        outputId: `${runId}:${sequence}`,
        ...{ runId, skillName, path, status, executedAt: time },
        ...resourcePaths(record),
        ...pickPresent(record, EXECUTION),
      },
    ];
  });
  return { ...frameOf("skill-script-executions", entries), ...{ executions } };
}

/** `skill-policy.json`: what a session had and was allowed, child sessions, cut lines, and every refusal. */
function policyArtefact(
  entries: readonly JournalEntry[],
  journalDiagnostics: readonly Diagnostic[],
): ArtefactFrame<string> {
  const changes: object[] = [];
  const refusals: object[] = [];
  const forks: object[] = [];
  const recoveries: object[] = [];
  let latest: PolicyRecord | undefined;
  for (const { sequence, runId, time, record } of entries) {
    const moment = { sequence, runId, recordedAt: time };
    if (record.kind === "policy") {
      latest = record;
      changes.push({ ...moment, ...pickPresent(record, POLICY_CHANGE) });
    }
    if (record.kind === "refusal") refusals.push({ ...moment, ...pickPresent(record, REFUSAL) });
    if (record.kind === "fork") forks.push({ ...moment, ...pickPresent(record, FORK) });
    if (record.kind === "recovery") recoveries.push({ ...moment, ...pickPresent(record, RECOVERY) });
  }
  return {
    ...frameOf("skill-policy", entries),
    ...(latest && pickPresent(latest, POLICY)),
    ...{ changes, refusals, forks, recoveries, journalDiagnostics },
  };
}
