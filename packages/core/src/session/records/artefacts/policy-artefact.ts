import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { JournalEntry } from "../journal.ts";
import type { ForkRecord, PolicyRecord, RecoveryRecord, RefusalRecord } from "../session-record.ts";
import { type ArtefactFrame, frameOf } from "./artefact.ts";
import { pickPresent } from "./pick-present.ts";

const FRAME = [
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
const CHANGE = ["mode", "interactive", "snapshotVersion"] as const;
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

interface Moment {
  readonly sequence: number;
  readonly runId: string;
  readonly recordedAt: string;
}

/** `skill-policy.json`: what a session had and was allowed, and every refusal. */
export interface PolicyArtefact
  extends ArtefactFrame<"skill-policy">,
    Partial<Pick<PolicyRecord, (typeof FRAME)[number]>> {
  /** Every frame in turn; the last one stands above in full. */
  readonly changes: readonly (Moment & Pick<PolicyRecord, (typeof CHANGE)[number]>)[];
  readonly refusals: readonly (Moment & Pick<RefusalRecord, (typeof REFUSAL)[number]>)[];
  /** Child sessions, whose own artefacts lie in their folders. */
  readonly forks: readonly (Moment & Pick<ForkRecord, (typeof FORK)[number]>)[];
  /** Lines of the journal that a crash had cut short. */
  readonly recoveries: readonly (Moment & Pick<RecoveryRecord, (typeof RECOVERY)[number]>)[];
  /** Lines of the journal that could not be read. */
  readonly journalDiagnostics: readonly Diagnostic[];
}

/** Derives the policy and its refusals from a journal; `journalDiagnostics` are the errors met in reading it. */
export function policyArtefact(
  entries: readonly JournalEntry[],
  journalDiagnostics: readonly Diagnostic[] = [],
): PolicyArtefact {
  const changes: PolicyArtefact["changes"][number][] = [];
  const refusals: PolicyArtefact["refusals"][number][] = [];
  const forks: PolicyArtefact["forks"][number][] = [];
  const recoveries: PolicyArtefact["recoveries"][number][] = [];
  let latest: PolicyRecord | undefined;
  for (const { sequence, runId, time, record } of entries) {
    const moment: Moment = { sequence, runId, recordedAt: time };
    if (record.kind === "policy") {
      latest = record;
      changes.push({ ...moment, ...pickPresent(record, CHANGE) });
    }
    if (record.kind === "refusal") refusals.push({ ...moment, ...pickPresent(record, REFUSAL) });
    if (record.kind === "fork") forks.push({ ...moment, ...pickPresent(record, FORK) });
    if (record.kind === "recovery") recoveries.push({ ...moment, ...pickPresent(record, RECOVERY) });
  }
  return {
    ...frameOf("skill-policy", entries),
    ...(latest === undefined ? {} : pickPresent(latest, FRAME)),
    changes,
    refusals,
    forks,
    recoveries,
    journalDiagnostics,
  };
}
