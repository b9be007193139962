import { lstat } from "node:fs/promises";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import type { Lock } from "./lock-entry.ts";
import { MAX_LOCK_BYTES, parseLock } from "./parse-lock.ts";

/** Reads the lock at a place; where there is no file, nothing is installed. */
export async function readLock(file: string): Promise<Lock> {
  return (await readLockWithBytes(file)).lock;
}

/** The lock together with its bytes, for whoever has to know whether it is still the same; undefined where there is none. */
export async function readLockWithBytes(
  file: string,
): Promise<{ readonly lock: Lock; readonly bytes: Uint8Array | undefined }> {
  const bytes = await readLockBytes(file);
  return { bytes, lock: bytes === undefined ? { skills: new Map() } : parseLock(decode(bytes, file), file) };
}

/** The bytes of a lock as they are now. */
export async function readLockBytes(file: string): Promise<Uint8Array | undefined> {
  // A repository could bring a link along that makes another project's lock, or any file, the one that is written.
  if (await isLink(file)) {
    const message = `${file} is a link, and a lock must be a file of its own; replace the link by the file that it leads to.`;
    throw new SkilletError("link-refused", message, { data: { path: file } });
  }
  return readBoundedFile(file, { maxBytes: MAX_LOCK_BYTES, links: "refuse" });
}

async function isLink(file: string): Promise<boolean> {
  try {
    return (await lstat(file)).isSymbolicLink();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = `${file} is not UTF-8. Nothing was changed; restore it from version control or a backup, then try again.`;
    throw new SkilletError("lock-invalid", message, { data: { file }, cause: error });
  }
}
