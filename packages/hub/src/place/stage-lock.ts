import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, syncDirectory } from "@skillet/core";
import { lstatOrAbsent } from "./lstat-or-absent.ts";
import { stagedLockPath } from "./settle.ts";
import { writeSynced } from "./write-synced.ts";

/** Writes the new lock beside the old one, so that a full disk is noticed before any target is touched. */
export async function stageLock(lockFile: string, transaction: string, text: string): Promise<void> {
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
