import { basename, join } from "node:path";
import type { SessionRecord } from "@skillet/core";
import { openRecorder } from "@skillet/core/internal";
import { HookState, pruneStates, readStateLines, type StateLine } from "./hook-state.ts";

/** A conversation that was silent for this long has ended, or was killed. */
const IDLE_MS = 3_600_000;

/** Writes what hooks recorded in ended conversations into run journals, which `skillet eval learn` reads. */
export async function keepRuns(
  home: string,
  { ended, event }: { readonly ended: string; readonly event: "start" | "end" },
): Promise<void> {
  const now = Date.now();
  if (event === "end") return keepRun(home, ended);
  for (const { path, writtenMs } of pruneStates(home, now))
    if (path !== ended && now - writtenMs > IDLE_MS) await keepRun(home, path);
}

async function keepRun(home: string, file: string): Promise<void> {
  const lines = readStateLines(file);
  const last = lines.findLastIndex(({ kind }) => kind === "kept");
  const records = recordsOf(lines.slice(last + 1));
  const [first] = records;
  if (first === undefined) return;
  const kept = lines[last];
  // Names sort by time: of many runs, the last ones by name are read.
  const run =
    kept?.kind === "kept"
      ? kept.run
      : `${new Date(first.at).toISOString().slice(0, 19).replaceAll(":", "")}-${basename(file, ".jsonl")}`;
  let time = 0;
  const recorder = await openRecorder({ runFolder: join(home, "runs", run), runId: run, clock: () => time });
  for (const { at, record } of records) {
    time = at;
    await recorder.append(record);
  }
  await recorder.close();
  new HookState(file).append({ kind: "kept", run });
}

/** Skips turns that say nothing about skills. */
function recordsOf(
  lines: readonly StateLine[],
): readonly { readonly at: number; readonly record: SessionRecord }[] {
  const records: { readonly at: number; readonly record: SessionRecord }[] = [];
  const endTurn = (at: number): void => {
    const before = records.at(-1);
    if (before !== undefined && before.record.kind !== "turn-ended")
      records.push({ at, record: { kind: "turn-ended" } });
  };
  for (const line of lines) {
    if (line.kind === "turn") endTurn(line.at);
    else if (line.kind === "record") records.push({ at: line.at, record: line.record });
  }
  endTurn(lines.at(-1)?.at ?? Date.now());
  return records;
}
