import { SkilletError } from "@skillet/kit/errors";
import type { JournalItem } from "./journal.ts";
import { checkRecord } from "./record-shape.ts";
import type { SessionRecord } from "./session-record.ts";
import { MAX_RECORD_BYTES, shortenRecord } from "./shorten-record.ts";

/** Turns a record into what a journal takes; refuses what it could not read back. */
export function createItem(record: SessionRecord, runId: string, clock: () => number): JournalItem {
  const problems = checkRecord(record);
  if (problems === "unknown" || problems.length > 0) {
    const why = problems === "unknown" ? "it is of no known kind" : problems.join("; ");
    throw new SkilletError("record-invalid", `A record was not written: ${why}.`, { data: { problems } });
  }
  const item = { runId, time: new Date(clock()).toISOString(), ...shortenRecord(record) };
  if (Buffer.byteLength(item.json) <= MAX_RECORD_BYTES) return item;
  const message = `A record was not written: even shortened it has more than ${MAX_RECORD_BYTES} bytes.`;
  throw new SkilletError("record-invalid", message, { data: { kind: record.kind } });
}
