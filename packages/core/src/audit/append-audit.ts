import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { ensureHome, syncDirectory, withFileLock, writeAtomic } from "@skillet/kit/files";
import { type AuditEntry, type AuditRecord, encodeAuditLine, MAX_AUDIT_LINE_BYTES } from "./audit-record.ts";
import { openAuditFile } from "./open-audit-file.ts";
import { type AuditTail, readAuditTail } from "./read-audit-tail.ts";

/** What `appendAudit` needs; `actor` is usually `auditActor()`. */
export interface AppendAuditOptions {
  readonly file: string;
  readonly record: AuditEntry;
  readonly clock: () => number;
  readonly actor: string;
  readonly signal?: AbortSignal;
}

/**
 * Appends one decision to the log, on disk when the promise resolves, and returns it as written.
 *
 * @example
 * await appendAudit({
 *   file: auditPath(home),
 *   record: { action: "disable", skill: "gh", scope: "bundled", decision: "allow" },
 *   clock: Date.now,
 *   actor: auditActor(),
 * });
 */
export async function appendAudit(options: AppendAuditOptions): Promise<AuditRecord> {
  const { file, signal } = options;
  await ensureHome(dirname(file));
  return withFileLock(
    `${file}.lock`,
    async () => {
      const handle = await openAuditFile(file, "append");
      try {
        return await appendTo(handle, options);
      } finally {
        await handle.close();
      }
    },
    { ...(signal && { signal }) },
  );
}

async function appendTo(handle: FileHandle, options: AppendAuditOptions): Promise<AuditRecord> {
  const { file, record, actor } = options;
  const tail = await readAuditTail(handle, file);
  const time = new Date(options.clock()).toISOString();
  const recovery = tail.torn.length === 0 ? undefined : await moveTornAside(file, tail);

  const lines: Uint8Array[] = [];
  let { sequence, previous } = tail;
  let written: AuditRecord | undefined;
  for (const entry of recovery === undefined ? [record] : [recovery, record]) {
    const fields = { ...entry, sequence, time, actor, previous };
    const { bytes, hash } = encodeAuditLine(fields);
    if (bytes.length > MAX_AUDIT_LINE_BYTES) throw tooLong(file, bytes.length);
    lines.push(bytes);
    written = { ...fields, hash };
    sequence += 1;
    previous = hash;
  }
  await writeBehind(handle, tail, Buffer.concat(lines), file);
  if (tail.offset === 0) await syncDirectory(dirname(file));
  return written as AuditRecord;
}

// The copy is on disk before the log is touched. Should the machine stop while the log is being repaired, what is
// there then is again a line cut short, and the next append finds and records it.
async function moveTornAside(file: string, tail: AuditTail): Promise<AuditEntry> {
  const digest = digestBytes(tail.torn);
  const path = `${file}.torn-${digest.slice(7, 23)}`;
  await writeAtomic(path, tail.torn, { mode: 0o600 });
  const reason = `a line of ${tail.torn.length} bytes was cut short and moved aside`;
  return { action: "recover", path, digest, decision: "allow", reason };
}

async function writeBehind(
  handle: FileHandle,
  tail: AuditTail,
  bytes: Uint8Array,
  file: string,
): Promise<void> {
  const { offset, torn } = tail;
  try {
    let done = 0;
    while (done < bytes.length)
      done += (await handle.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
    await handle.truncate(offset + bytes.length);
    await handle.sync();
  } catch (error) {
    // Over a torn line the remains stay, so that the next append still finds something to record.
    if (torn.length === 0) await handle.truncate(offset);
    const code = errorCode(error) ?? "unknown error";
    const message = `The audit log ${file} could not be written (${code}); free some space or check the disk, then try again.`;
    throw new SkilletError("audit-unavailable", message, { data: { file, errno: code }, cause: error });
  }
}

function tooLong(file: string, bytes: number): SkilletError {
  const message = `A record of ${bytes} bytes was not written to ${file}: a line holds at most ${MAX_AUDIT_LINE_BYTES}. Shorten its reason or path.`;
  return new SkilletError("audit-record-too-long", message, { data: { file, bytes } });
}
