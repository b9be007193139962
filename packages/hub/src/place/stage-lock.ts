import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { syncDirectory } from "@skillet/kit/files";
import { MAX_LOCK_BYTES } from "../lock/read-lock.ts";
import { lstatOrAbsent } from "./lstat-or-absent.ts";
import { stagedLockPath } from "./settle.ts";
import { writeSynced } from "./write-synced.ts";

/**
 * Writes the new lock beside the old one, so that a full disk is noticed before any target is touched.
 *
 * One that could not be read again is not written: the next command would know of nothing that is installed.
 */
export async function stageLock(lockFile: string, transaction: string, text: string): Promise<void> {
  const size = Buffer.byteLength(text);
  if (size > MAX_LOCK_BYTES) throw tooLarge(lockFile, size);
  const existing = await lstatOrAbsent(lockFile);
  await writeSynced(stagedLockPath(lockFile, transaction), text, {
    mode: 0o666,
    prepare: async (handle) => {
      if (existing !== undefined) await keepOwnerAndMode(handle, existing);
    },
  });
  await syncDirectory(dirname(lockFile));
}

// Under sudo a project's lock would otherwise become root's.
async function keepOwnerAndMode(handle: FileHandle, existing: Stats): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== existing.uid || own.gid !== existing.gid) {
    try {
      await handle.chown(existing.uid, existing.gid);
    } catch (error) {
      if (errorCode(error) !== "EPERM") throw error;
    }
  }
  await handle.chmod(existing.mode & 0o777);
}

function tooLarge(lockFile: string, size: number): SkilletError {
  const message = `${lockFile} would have ${size} bytes, and one of more than ${MAX_LOCK_BYTES} is not read. Nothing was changed; remove skills that are not needed, or install fewer.`;
  return new SkilletError("lock-too-large", message, {
    data: { lock: lockFile, size, maxBytes: MAX_LOCK_BYTES },
  });
}
