import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { syncDirectory, withFileLock, writeAtomic } from "@skillet/kit/files";
import type { RecoveryRecord } from "../session-record.ts";
import { encodeJournalLine, type JournalItem } from "./journal-entry.ts";
import { JOURNAL_FILE, MAX_JOURNAL_BYTES } from "./journal-file.ts";
import { openJournalFile } from "./open-journal-file.ts";
import { type JournalTail, readJournalTail } from "./read-journal-tail.ts";

/** Appends lines to the journal of a run, all of them on disk when the promise resolves. */
export async function appendJournal(runFolder: string, items: readonly JournalItem[]): Promise<void> {
  const file = join(runFolder, JOURNAL_FILE);
  await withFileLock(`${file}.lock`, async () => {
    const handle = await openJournalFile(file, "append");
    try {
      await appendTo(handle, file, items);
    } finally {
      await handle.close();
    }
  });
}

async function appendTo(handle: FileHandle, file: string, items: readonly JournalItem[]): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  const found = await readJournalTail(handle, file);
  const tail = found.torn.length === 0 ? found : await repair(file, found, first);
  const bytes = Buffer.concat(items.map((item, index) => encodeJournalLine(tail.sequence + index, item)));
  if (tail.offset + bytes.length > MAX_JOURNAL_BYTES) throw full(file);
  try {
    for (let done = 0; done < bytes.length; )
      done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten;
    await handle.sync();
    if (found.offset === 0) await syncDirectory(dirname(file));
  } catch (error) {
    throw await undo(handle, file, tail.offset, error);
  }
}

/**
 * Moves a line that was cut short aside and puts a note in its place.
 *
 * The copy is on disk before the journal is touched, and the note is written over the remains, not behind a cut:
 * should the machine stop in between, what is there then is again a line cut short, or the note itself.
 */
async function repair(file: string, tail: JournalTail, next: JournalItem): Promise<JournalTail> {
  const { offset, sequence, torn } = tail;
  const digest = digestBytes(torn);
  const aside = `${file}.torn-${digest.slice(7, 23)}`;
  await writeAtomic(aside, torn, { mode: 0o600, links: "refuse" });
  const note: RecoveryRecord = { kind: "recovery", file: basename(aside), digest, bytes: torn.length };
  const { runId, time } = next;
  const line = encodeJournalLine(sequence, { runId, time, json: JSON.stringify(note) });
  const handle = await openJournalFile(file, "repair");
  try {
    for (let done = 0; done < line.length; )
      done += (await handle.write(line, done, line.length - done, offset + done)).bytesWritten;
    await handle.truncate(offset + line.length);
    await handle.sync();
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await handle.close();
  }
  return { sequence: sequence + 1, offset: offset + line.length, torn: new Uint8Array() };
}

// A record that is reported as not written must not turn up later.
async function undo(handle: FileHandle, file: string, offset: number, cause: unknown): Promise<SkilletError> {
  try {
    await handle.truncate(offset);
    return unwritable(file, cause);
  } catch (error) {
    return unwritable(file, new AggregateError([cause, error]));
  }
}

function unwritable(file: string, cause: unknown): SkilletError {
  const code = errorCode(cause) ?? "unknown error";
  const message = `The journal ${file} could not be written (${code}); free some space or check the disk, then try again.`;
  return new SkilletError("records-unavailable", message, { data: { file, errno: code }, cause });
}

function full(file: string): SkilletError {
  const message = `The journal ${file} has reached ${MAX_JOURNAL_BYTES} bytes, the most that is read back; start a new run.`;
  return new SkilletError("records-full", message, { data: { file, maxBytes: MAX_JOURNAL_BYTES } });
}
