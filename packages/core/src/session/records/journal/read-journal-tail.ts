import type { FileHandle } from "node:fs/promises";
import { SkilletError } from "@skillet/kit/errors";
import { decodeJournalLine, MAX_JOURNAL_LINE_BYTES } from "./journal-entry.ts";

// Most lines are short; the window grows where the last one is not.
const FIRST_WINDOW_BYTES = 8192;
const MAX_WINDOW_BYTES = 2 * (MAX_JOURNAL_LINE_BYTES + 1);
const NEWLINE = 0x0a;

/** Where the next line goes. */
export interface JournalTail {
  readonly sequence: number;
  /** Behind the last whole line. */
  readonly offset: number;
  /** What a crash left of a line behind that; empty when there is nothing. */
  readonly torn: Uint8Array;
}

/** Reads the end of a journal; throws when the last whole line cannot be continued. */
export async function readJournalTail(handle: FileHandle, file: string): Promise<JournalTail> {
  const { size } = await handle.stat();
  for (let length = FIRST_WINDOW_BYTES; ; length *= 8) {
    const start = Math.max(0, size - Math.min(length, MAX_WINDOW_BYTES));
    const window = await readExactly(handle, start, size - start);
    const end = window.lastIndexOf(NEWLINE);
    const begin = end <= 0 ? -1 : window.lastIndexOf(NEWLINE, end - 1);
    if (begin === -1 && start > 0 && length < MAX_WINDOW_BYTES) continue;

    const torn = window.subarray(end + 1);
    if (torn.length > MAX_JOURNAL_LINE_BYTES) throw damaged(file, "it ends in bytes that are no line of it");
    if (end === -1) return { sequence: 1, offset: 0, torn };
    const { sequence, problem } = decodeJournalLine(window.subarray(begin + 1, end));
    if (sequence === undefined) throw damaged(file, `in its last line ${problem}`);
    return { sequence: sequence + 1, offset: start + end + 1, torn };
  }
}

async function readExactly(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function damaged(file: string, why: string): SkilletError {
  const message =
    `The journal ${file} cannot be continued: ${why}. ` +
    "Keep it as evidence and start a new run in another folder.";
  return new SkilletError("journal-damaged", message, { data: { file } });
}
