import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errorCode, SkilletError } from "@skillet/kit/errors";

// O_NONBLOCK: a FIFO in the log's place is refused instead of waited for. Links are not followed, because the lock
// that protects the chain lies beside the name, and a file with two names would have two locks.
const SAFE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FLAGS = { read: constants.O_RDONLY | SAFE, append: constants.O_RDWR | constants.O_CREAT | SAFE };

/** Opens the log, or returns undefined when it is only read and is not there. */
export async function openAuditFile(file: string, purpose: "append"): Promise<FileHandle>;
export async function openAuditFile(file: string, purpose: "read"): Promise<FileHandle | undefined>;
export async function openAuditFile(
  file: string,
  purpose: "read" | "append",
): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, FLAGS[purpose], 0o600);
  } catch (error) {
    const code = errorCode(error);
    if (purpose === "read" && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw refused(file, code === "ELOOP" ? "it is a link" : (code ?? "unknown error"), error);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw refused(file, "it is not a regular file");
}

function refused(file: string, why: string, cause?: unknown): SkilletError {
  const message = `The audit log ${file} cannot be opened (${why}); make it a regular file that you can write.`;
  return new SkilletError("audit-unavailable", message, { data: { file }, cause });
}
