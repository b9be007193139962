import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errorCode, SkilletError } from "@skillet/kit/errors";

// O_NONBLOCK: a FIFO in the journal's place is refused instead of waited for. Links are not followed: a folder that a
// stranger prepared could otherwise have records written into any file of the user's.
const SAFE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FLAGS = {
  read: constants.O_RDONLY | SAFE,
  append: constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | SAFE,
  // Writes in place, which a file opened for appending does not do.
  repair: constants.O_RDWR | SAFE,
};

/** Opens a journal, or returns undefined when it is only read and is not there. */
export async function openJournalFile(file: string, purpose: "append" | "repair"): Promise<FileHandle>;
export async function openJournalFile(file: string, purpose: "read"): Promise<FileHandle | undefined>;
export async function openJournalFile(
  file: string,
  purpose: "read" | "append" | "repair",
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
  const message = `The journal ${file} cannot be opened (${why}); make it a regular file that you can write.`;
  return new SkilletError("records-unavailable", message, { data: { file }, cause });
}
