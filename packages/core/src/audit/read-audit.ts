import type { FileHandle } from "node:fs/promises";
import type { Digest } from "@skillet/kit/digest";
import { AUDIT_GENESIS, type AuditRecord, decodeAuditLine, MAX_AUDIT_LINE_BYTES } from "./audit-record.ts";
import { openAuditFile } from "./open-audit-file.ts";
import { splitLines } from "./split-lines.ts";

/** One line of a log as found: the record where it could be read, and everything that is wrong with it. */
export interface AuditLine {
  /** Counts from 1. */
  readonly line: number;
  readonly record?: AuditRecord;
  readonly problems: readonly string[];
}

/**
 * Reads a log line by line in bounded memory, checking the chain on the way; a log that does not exist has no lines.
 *
 * @example
 * for await (const { record, problems } of readAudit(auditPath(home))) console.log(record?.action, problems);
 */
export async function* readAudit(file: string): AsyncGenerator<AuditLine> {
  const handle = await openAuditFile(file, "read");
  if (handle === undefined) return;
  try {
    yield* checkChain(handle);
  } finally {
    await handle.close();
  }
}

async function* checkChain(handle: FileHandle): AsyncGenerator<AuditLine> {
  // After a line that cannot be read nothing is known about what the next one should name.
  let expected: { sequence: number; previous: Digest } | undefined = { sequence: 1, previous: AUDIT_GENESIS };
  let line = 0;
  for await (const { bytes, ending } of splitLines(handle, MAX_AUDIT_LINE_BYTES)) {
    line += 1;
    const { record, problem } =
      ending === "too-long" ? { problem: "is too long to be a record" } : decodeAuditLine(bytes);
    const problems = problem === undefined ? [] : [problem];
    if (ending === "end-of-file") problems.push("was cut short: it has no end of line");
    if (record !== undefined && expected !== undefined && !follows(record, expected)) {
      problems.push(
        `does not follow the line before it: lines were removed, added or moved (sequence ${record.sequence}, expected ${expected.sequence})`,
      );
    }
    expected = record === undefined ? undefined : { sequence: record.sequence + 1, previous: record.hash };
    yield { line, ...(record && { record }), problems };
  }
}

function follows(record: AuditRecord, expected: { sequence: number; previous: Digest }): boolean {
  return record.sequence === expected.sequence && record.previous === expected.previous;
}
