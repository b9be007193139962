import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { AuditEntry } from "@skillet/core";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, syncDirectory, writeAtomic, writeSynced } from "@skillet/kit/files";
import { parseStrictJson } from "@skillet/kit/json";
import {
  array,
  flag,
  matching,
  object,
  oneOf,
  optional,
  readDocument,
  refine,
  scalar,
  text,
} from "@skillet/kit/schema";
import { renderInline } from "../lock/format-lock.ts";
import { entrySchema, type LockEntry } from "../lock/lock-entry.ts";
import { canonicalLockPath } from "../lock/read-lock.ts";
import { lstatOrAbsent } from "./stage.ts";

/** The changes of a commit, on disk before they are made, so that the next command can complete or undo them. */
export interface Journal {
  readonly transaction: string;
  /** `stage`: no target was touched; `swap`: they are being swapped; `done`: completed although the lock did not change. */
  readonly phase: "stage" | "swap" | "done";
  /** The real folders that the lock could use then; those of agents depend on variables that a recovery may not see. */
  readonly folders: readonly string[];
  readonly steps: readonly Step[];
  /** The new entries by name; null for a removal. */
  readonly entries: ReadonlyMap<string, LockEntry | null>;
  /** Whether the new lock differs from the old one, so that the lock tells whether the commit happened. */
  readonly changesLock: boolean;
  readonly records: readonly AuditEntry[];
}

export interface Step {
  readonly place: string;
  readonly action: "put" | "remove";
  readonly had: boolean;
  /** Of a staged put: the files of which entry, or the text of a link. Only this may be taken away by undoing. */
  readonly puts?: { readonly files: string } | { readonly link: string };
}

/** Where a step's new content waits; beside its place, so that one rename puts it there. */
export function stagePath(step: Pick<Step, "place">, index: number, transaction: string): string {
  return join(dirname(step.place), `.skillet-${transaction}-${index}.new`);
}

export function backupPath(step: Step, index: number, transaction: string): string {
  return join(dirname(step.place), `.skillet-${transaction}-${index}.old`);
}

const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
const SEAL_BYTES = 128;
const ENDINGS = [".new", "", ".undone"];

export function journalPath(lockFile: string): string {
  return `${lockFile}.journal`;
}

export function hasJournal(lockFile: string): boolean {
  return ENDINGS.some((ending) => existsSync(`${journalPath(lockFile)}${ending}`));
}

export async function writeJournal(lockFile: string, folder: string, journal: Journal): Promise<void> {
  const entries = [...journal.entries].map(([name, entry]) => ({ name, entry }));
  // A journal moves and deletes folders, so one that moved along with its project must not be believed.
  const lock = canonicalLockPath(lockFile);
  const text = renderInline({ ...journal, journalVersion: 1, lock, entries });
  if (Buffer.byteLength(text) > MAX_JOURNAL_BYTES - SEAL_BYTES) {
    const message = `This change to ${lockFile} is too large for one: its journal would have more than ${MAX_JOURNAL_BYTES} bytes. Nothing was changed; install, update or remove fewer skills at once.`;
    const data = { lock: lockFile, maxBytes: MAX_JOURNAL_BYTES };
    throw new SkilletError("change-too-large", message, { data });
  }
  const seal = await sealText(folder, text);
  const path = journalPath(lockFile);
  if (journal.phase === "stage") await openTransaction(folder, lockFile, journal.transaction);
  await removeFile(`${path}.new`, lockFile);
  await writeSynced(`${path}.new`, `${text}\n${seal}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

/** By a rename, which works on a full disk. From here on, what is made at a target is its maker's. */
export async function markUndone(lockFile: string): Promise<void> {
  const path = journalPath(lockFile);
  if (existsSync(path)) await rename(path, `${path}.undone`);
  await syncDirectory(dirname(path));
}

/** Removes the journal, which ends the commit; should it come back, it is not followed again. */
export async function removeJournal(lockFile: string, folder: string): Promise<void> {
  const path = journalPath(lockFile);
  for (const ending of ENDINGS) await removeFile(`${path}${ending}`, lockFile);
  await syncDirectory(dirname(path));
  await closeTransaction(folder, lockFile);
}

async function removeFile(path: string, lockFile: string): Promise<void> {
  if ((await lstatOrAbsent(path))?.isDirectory()) throw foreignJournal(lockFile, path);
  try {
    await rm(path, { force: true });
  } catch (error) {
    const errno = errorCode(error);
    if (errno === undefined) throw error;
    const message = `${path}, which an interrupted change left, cannot be removed (${errno}). Check the permissions of its folder, and run any command again.`;
    throw new SkilletError("place-unfinished", message, { data: { lock: lockFile, errno }, cause: error });
  }
}

/** Reads the journal of a lock; one that this user did not write here is an error, because a repository can bring one. */
export function readJournal(lockFile: string, folder: string): Journal | undefined {
  const written = readJournalFile(journalPath(lockFile), lockFile, folder);
  if (written !== undefined) return written;
  const undone = readJournalFile(`${journalPath(lockFile)}.undone`, lockFile, folder);
  return undone && { ...undone, phase: "stage" };
}

function readJournalFile(path: string, lockFile: string, folder: string): Journal | undefined {
  const bytes = readBoundedFile(path, { maxBytes: MAX_JOURNAL_BYTES });
  if (bytes === undefined) return undefined;
  const [line = "", seal = "", end, ...more] = new TextDecoder().decode(bytes).split("\n");
  const isWhole = end === "" && more.length === 0;
  const journal = isWhole && isSealed(folder, line, seal) ? parseJournal(line, lockFile) : undefined;
  if (journal === undefined || !isOpenTransaction(folder, lockFile, journal.transaction))
    throw foreignJournal(lockFile);
  return journal;
}

function parseJournal(line: string, lockFile: string): Journal | undefined {
  const parsed = parseStrictJson(line);
  const document = "root" in parsed ? readDocument(journalSchema, parsed.root).value : undefined;
  if (document?.lock !== canonicalLockPath(lockFile)) return undefined;
  const { journalVersion: _, lock: __, entries, ...journal } = document;
  return { ...journal, entries: new Map(entries.map(({ name, entry }) => [name, entry])) };
}

const place = scalar("an absolute path", (value) =>
  typeof value === "string" && isAbsolute(value) ? value : undefined,
);

const puts = refine(
  object<{ readonly files?: string; readonly link?: string }>({
    files: optional(text),
    link: optional(text),
  }),
  ({ files, link }, reading): Step["puts"] => {
    if (files !== undefined && link === undefined) return { files };
    return link !== undefined && files === undefined
      ? { link }
      : reading.fault("must have `files` or `link`");
  },
);

interface NamedEntry {
  readonly name: string;
  readonly entry: LockEntry | null;
}

interface JournalDocument extends Omit<Journal, "entries"> {
  readonly journalVersion: 1;
  readonly lock: string;
  readonly entries: readonly NamedEntry[];
}

const journalSchema = object<JournalDocument>({
  journalVersion: oneOf([1]),
  lock: text,
  transaction: matching(/^[0-9a-f]{32}$/, "32 hexadecimal digits"),
  phase: oneOf(["stage", "swap", "done"]),
  folders: array(place),
  steps: array(object<Step>({ place, action: oneOf(["put", "remove"]), had: flag, puts: optional(puts) })),
  entries: array(
    object<NamedEntry>({
      name: text,
      entry: (value, reading) => (value === null ? value : entrySchema(value, reading)),
    }),
  ),
  changesLock: flag,
  // Sealed, so they are as they were written.
  records: array((value) => value as AuditEntry),
});

export function foreignJournal(lockFile: string, path: string = journalPath(lockFile)): SkilletError {
  const message = `${path} was not written here by your Skillet, or was settled already, so it is not followed. If another machine or another SKILLET_HOME was interrupted, run any command there; otherwise check the folders of your skills with version control, where .skillet-….old would be an earlier version, and delete the file.`;
  return new SkilletError("journal-foreign", message, { data: { file: path } });
}

export async function openTransaction(folder: string, lockFile: string, transaction: string): Promise<void> {
  await ensureHome(folder);
  await writeAtomic(notePath(folder, lockFile), `${transaction}\n`, { mode: 0o600, links: "refuse" });
}

/**
 * A settled journal is still sealed: version control or a backup can put it back, long after the folders that it names
 * became someone's own.
 */
export function isOpenTransaction(folder: string, lockFile: string, transaction: string): boolean {
  try {
    const bytes = readBoundedFile(notePath(folder, lockFile), { maxBytes: 64, links: "refuse" });
    return bytes !== undefined && new TextDecoder().decode(bytes) === `${transaction}\n`;
  } catch (error) {
    // Something else is there, which is not a note of a transaction.
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
const KEY_FILE = "journal.key";

/** Marks a text as written by the owner of this folder; makes the key on first use. */
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
  const key = readBoundedFile(join(folder, KEY_FILE), { maxBytes: 1024 });
  return key?.length === KEY_BYTES ? key : undefined;
}

// By a hard link: of two that begin at once one key stays, and it is never seen half written.
async function createKey(folder: string): Promise<Uint8Array> {
  const temporary = join(folder, `${randomBytes(8).toString("hex")}.tmp`);
  const key = randomBytes(KEY_BYTES);
  try {
    await writeSynced(temporary, key, { mode: 0o600 });
    await link(temporary, join(folder, KEY_FILE));
    return key;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    const winner = readKey(folder);
    if (winner !== undefined) return winner;
    await rm(join(folder, KEY_FILE), { force: true });
    return createKey(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}
