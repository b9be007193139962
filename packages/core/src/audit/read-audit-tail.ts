import type { FileHandle } from "node:fs/promises";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { AUDIT_GENESIS, decodeAuditLine, MAX_AUDIT_LINE_BYTES } from "./audit-record.ts";

// The last whole line and, behind it, at most one that was cut short.
const WINDOW_BYTES = 2 * MAX_AUDIT_LINE_BYTES;
const NEWLINE = 0x0a;

/** Where the next line goes and what it must name. */
export interface AuditTail {
  readonly sequence: number;
  readonly previous: Digest;
  /** Behind the last whole line. */
  readonly offset: number;
  /** What a crash left of a line behind that; empty when there is nothing. */
  readonly torn: Uint8Array;
}

/** Reads the end of a log; throws when the last whole line cannot be continued. */
export async function readAuditTail(handle: FileHandle, file: string): Promise<AuditTail> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - WINDOW_BYTES);
  const window = await readExactly(handle, start, size - start);
  const end = window.lastIndexOf(NEWLINE);
  const torn = window.subarray(end + 1);
  if (torn.length > MAX_AUDIT_LINE_BYTES) throw damaged(file, "the log ends in bytes that are no line of it");
  if (end === -1) return { sequence: 1, previous: AUDIT_GENESIS, offset: 0, torn };

  const begin = end === 0 ? -1 : window.lastIndexOf(NEWLINE, end - 1);
  const { record, problem } = decodeAuditLine(window.subarray(begin + 1, end));
  if (record === undefined || problem !== undefined) throw damaged(file, `the last line ${problem}`);
  return { sequence: record.sequence + 1, previous: record.hash, offset: start + end + 1, torn };
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
    `The audit log ${file} cannot be continued: ${why}. ` +
    "Keep it as evidence by renaming it; the next decision then starts a new log.";
  return new SkilletError("audit-damaged", message, { data: { file } });
}
