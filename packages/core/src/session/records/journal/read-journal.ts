import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { splitLines } from "../../../audit/split-lines.ts";
import {
  type DecodedLine,
  decodeJournalLine,
  type JournalEntry,
  MAX_JOURNAL_LINE_BYTES,
} from "./journal-entry.ts";
import { JournalFaults } from "./journal-faults.ts";
import { JOURNAL_FILE, MAX_JOURNAL_BYTES } from "./journal-file.ts";
import { openJournalFile } from "./open-journal-file.ts";

/** What a run wrote down, as far as it can be read. */
export interface Journal {
  /** False when there is no journal at all. */
  readonly exists: boolean;
  readonly entries: readonly JournalEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the journal of a run; a damaged line is a diagnostic with its number, and everything else is still read.
 *
 * @example
 * const { entries, diagnostics } = await readJournal(".skillet/runs/42");
 */
export async function readJournal(
  runFolder: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Journal> {
  const file = join(runFolder, JOURNAL_FILE);
  const handle = await openJournalFile(file, "read");
  if (handle === undefined) return { exists: false, entries: [], diagnostics: [] };
  try {
    return { exists: true, ...(await readLines(handle, file, options)) };
  } finally {
    await handle.close();
  }
}

async function readLines(
  handle: FileHandle,
  file: string,
  options: { readonly signal?: AbortSignal },
): Promise<Omit<Journal, "exists">> {
  const entries: JournalEntry[] = [];
  const faults = new JournalFaults(file);
  for await (const entry of decodeLines(handle, faults, options)) entries.push(entry);
  return { entries, diagnostics: faults.list() };
}

/** The entries of a journal one by one, for those who need not have them all at once; faults are collected on the way. */
export async function* decodeLines(
  handle: FileHandle,
  faults: JournalFaults,
  options: { readonly signal?: AbortSignal },
): AsyncGenerator<JournalEntry> {
  if ((await handle.stat()).size > MAX_JOURNAL_BYTES) {
    faults.tooLarge();
    return;
  }
  // After a line that cannot be read nothing is known about the number of the next one.
  let expected: number | undefined = 1;
  let line = 0;
  for await (const { bytes, ending } of splitLines(handle, MAX_JOURNAL_LINE_BYTES)) {
    options.signal?.throwIfAborted();
    line += 1;
    if (ending === "end-of-file") {
      faults.torn(line);
      break;
    }
    const decoded: DecodedLine =
      ending === "too-long" ? { problem: "it is too long to be a record" } : decodeJournalLine(bytes);
    const { sequence, entry, problem, unknownKind } = decoded;
    if (problem !== undefined) faults.damaged(line, problem);
    if (unknownKind !== undefined) faults.unknown(line, unknownKind);
    if (sequence !== undefined && expected !== undefined && sequence !== expected)
      faults.outOfSequence(line, sequence, expected);
    if (entry !== undefined) yield entry;
    expected = sequence === undefined ? undefined : sequence + 1;
  }
}
