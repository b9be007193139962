import { createItem } from "./create-item.ts";
import type { JournalEntry } from "./journal.ts";
import type { Recorder, SessionRecord } from "./session-record.ts";

// A host that keeps nothing on disk may run for weeks.
const MAX_MEMORY_RECORDS = 10_000;

/** A recorder that writes nothing and can be looked at. */
export interface MemoryRecorder extends Recorder {
  /** The newest records, as a journal would give them. */
  readonly entries: readonly JournalEntry[];
  /** How many older ones were let go. */
  readonly dropped: number;
}

/** Keeps the newest records in memory, for sessions that have no run folder. */
export function memoryRecorder(options: {
  readonly runId: string;
  readonly clock: () => number;
}): MemoryRecorder {
  const { runId, clock } = options;
  const entries: JournalEntry[] = [];
  let sequence = 0;
  return {
    runId,
    get entries() {
      return entries.slice(-MAX_MEMORY_RECORDS);
    },
    get dropped() {
      return Math.max(0, sequence - MAX_MEMORY_RECORDS);
    },
    append: async (record: SessionRecord): Promise<void> => {
      const { json, ...item } = createItem(record, runId, clock);
      sequence += 1;
      entries.push({ sequence, ...item, record: JSON.parse(json) as SessionRecord });
      // In lumps, because taking one off the front each time would move all the others.
      if (entries.length >= 2 * MAX_MEMORY_RECORDS) entries.splice(0, entries.length - MAX_MEMORY_RECORDS);
    },
  };
}
