import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { JOURNAL_FILE, JournalFaults, readEntries, runNotFound } from "../records/journal.ts";
import { type TurnOutcome, TurnReader } from "./turn-reader.ts";

export interface RunOutcomes {
  readonly runFolder: string;
  readonly runId: string;
  readonly outcomes: readonly TurnOutcome[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface ReadRunOutcomesOptions {
  /** Only what was recorded from this time on, in milliseconds since 1970. */
  readonly since?: number;
  readonly signal?: AbortSignal | undefined;
}

// A run with more records or outcomes is not a conversation; the rest is not read.
const MAX_RUN_RECORDS = 200_000;
const MAX_RUN_OUTCOMES = 1_000;

/** Reads the outcomes of skills in a run; forks are skipped, because their messages are another agent's. */
export async function readRunOutcomes(
  runFolder: string,
  options: ReadRunOutcomesOptions = {},
): Promise<RunOutcomes> {
  const file = join(runFolder, JOURNAL_FILE);
  if (!existsSync(file)) throw runNotFound(runFolder);
  const faults = new JournalFaults(runFolder);
  const { since = Number.NEGATIVE_INFINITY } = options;
  const reader = new TurnReader();
  const outcomes: TurnOutcome[] = [];
  let runId = "";
  let records = 0;
  let isWhole = true;
  for await (const { record, time, runId: ofRecord } of readEntries(runFolder, faults, options)) {
    if (records === 0) runId = ofRecord;
    records += 1;
    isWhole = records <= MAX_RUN_RECORDS && outcomes.length < MAX_RUN_OUTCOMES;
    if (!isWhole) break;
    // Records without a readable time are skipped, but the list of skills always counts.
    const isWanted = since === Number.NEGATIVE_INFINITY || Date.parse(time) >= since;
    if (isWanted || record.kind === "policy") outcomes.push(...reader.take(record));
  }
  if (isWhole) outcomes.push(...reader.finish());
  return {
    runFolder,
    runId,
    outcomes: outcomes.slice(0, MAX_RUN_OUTCOMES),
    diagnostics: isWhole ? faults.list() : [...faults.list(), cutShort(file)],
  };
}

function cutShort(file: string): Diagnostic {
  const message = `The run has more than ${MAX_RUN_RECORDS} records or ${MAX_RUN_OUTCOMES} outcomes; the rest was not read.`;
  const hint = "Give every conversation a run folder of its own.";
  return diagnostic("warning", "run-outcomes-cut", file, message, hint);
}
