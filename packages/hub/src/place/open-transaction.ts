import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { link, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, writeAtomic, writeSynced } from "@skillet/kit/files";
import { canonicalLockPath } from "../lock/read-lock.ts";

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

export async function closeTransaction(folder: string, lockFile: string): Promise<void> {
  await rm(notePath(folder, lockFile), { force: true });
}

const UNFIT: ReadonlySet<string> = new Set(["not-a-file", "file-too-large", "link-refused"]);

function notePath(folder: string, lockFile: string): string {
  return join(folder, `${hash("sha256", canonicalLockPath(lockFile), "hex")}.open`);
}

const KEY_BYTES = 32;

/** Marks a text as written by whoever owns this folder; makes the key on first use. */
export async function sealText(folder: string, text: string): Promise<string> {
  await ensureHome(folder);
  const key = readKey(folder) ?? (await createKey(folder));
  return createHmac("sha256", key).update(text).digest("hex");
}

export function isSealed(folder: string, text: string, seal: string): boolean {
  const key = readKey(folder);
  if (key === undefined || !/^[0-9a-f]{64}$/.test(seal)) return false;
  return timingSafeEqual(createHmac("sha256", key).update(text).digest(), Buffer.from(seal, "hex"));
}

function readKey(folder: string): Uint8Array | undefined {
  const key = readBoundedFile(keyPath(folder), { maxBytes: 1024 });
  return key?.length === KEY_BYTES ? key : undefined;
}

// By a hard link: of two that begin at once one key stays, and it is never seen half written.
async function createKey(folder: string): Promise<Uint8Array> {
  const temporary = join(folder, `${randomBytes(8).toString("hex")}.tmp`);
  const key = randomBytes(KEY_BYTES);
  try {
    await writeSynced(temporary, key, { mode: 0o600 });
    await link(temporary, keyPath(folder));
    return key;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    const winner = readKey(folder);
    if (winner !== undefined) return winner;
    await rm(keyPath(folder), { force: true });
    return createKey(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}

function keyPath(folder: string): string {
  return join(folder, "journal.key");
}
