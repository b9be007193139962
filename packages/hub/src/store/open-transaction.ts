import { hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { canonicalLockPath } from "../lock/read-lock.ts";

/** Notes that a lock has a transaction under way, before anything of it is done. */
export async function openTransaction(folder: string, lockFile: string, transaction: string): Promise<void> {
  await ensureHome(folder);
  await writeAtomic(notePath(folder, lockFile), `${transaction}\n`, { mode: 0o600, links: "refuse" });
}

/**
 * Whether a transaction of a lock is the one that is under way.
 *
 * A journal stays sealed when it is settled: version control or a backup can put it back, long after the folders that it
 * names became somebody's own.
 */
export function isOpenTransaction(folder: string, lockFile: string, transaction: string): boolean {
  const path = notePath(folder, lockFile);
  try {
    const bytes = readBoundedFile(path, { maxBytes: 64, links: "refuse" });
    return bytes !== undefined && new TextDecoder().decode(bytes) === `${transaction}\n`;
  } catch (error) {
    // Something else lies there, which says nothing about any transaction.
    if (SkilletError.isInstance(error) && UNFIT.has(error.code)) return false;
    throw error;
  }
}

/** Notes that nothing is under way any more. */
export async function closeTransaction(folder: string, lockFile: string): Promise<void> {
  await rm(notePath(folder, lockFile), { force: true });
}

const UNFIT: ReadonlySet<string> = new Set(["not-a-file", "file-too-large", "link-refused"]);

function notePath(folder: string, lockFile: string): string {
  return join(folder, `${hash("sha256", canonicalLockPath(lockFile), "hex")}.open`);
}
