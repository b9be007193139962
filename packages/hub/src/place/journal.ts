import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
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
  record,
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
  /** `stage`: no target touched yet; `swap`: being swapped; `done`: completed without a change of the lock. */
  readonly phase: "stage" | "swap" | "done";
  /** The real folders that the lock could use then; agents' folders depend on variables that a recovery may not see. */
  readonly folders: readonly string[];
  readonly steps: readonly Step[];
  /** The new entries by name; null for a removal. */
  readonly entries: ReadonlyMap<string, LockEntry | null>;
  /** Whether the new lock differs from the old one, so that the lock shows whether the commit happened. */
  readonly changesLock: boolean;
  readonly records: readonly AuditEntry[];
}

export interface Step {
  readonly place: string;
  readonly action: "put" | "remove";
  readonly had: boolean;
  /** What a staged put contains: the files of an entry, or the text of a link. Undoing removes nothing else. */
  readonly puts?: { readonly files: string } | { readonly link: string };
}

/** Where a step's new content is staged: beside its place, so that one rename moves it there. */
export function stagePath(step: Pick<Step, "place">, index: number, transaction: string): string {
  return join(dirname(step.place), `.skillet-${transaction}-${index}.new`);
}

export function backupPath(step: Step, index: number, transaction: string): string {
  return join(dirname(step.place), `.skillet-${transaction}-${index}.old`);
}

const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
// A random name and a line end, with room to spare.
const MAX_MARK_BYTES = 1024;
const ENDINGS = [".new", "", ".undone"];

/** The mark beside a lock. It contains only the transaction's id, because a repository can bring one along. */
export function journalPath(lockFile: string): string {
  return `${lockFile}.journal`;
}

/** The journal itself, in Skillet's own folder: it moves and deletes folders, so it is trusted only there. */
export function keptJournal(folder: string, lockFile: string): string {
  return join(folder, `${hash("sha256", canonicalLockPath(lockFile), "hex")}.journal`);
}

export function hasJournal(lockFile: string): boolean {
  return ENDINGS.some((ending) => existsSync(`${journalPath(lockFile)}${ending}`));
}

export async function writeJournal(lockFile: string, folder: string, journal: Journal): Promise<void> {
  const entries = Object.fromEntries(journal.entries);
  const text = renderInline({ ...journal, journalVersion: 1, entries });
  if (Buffer.byteLength(text) > MAX_JOURNAL_BYTES) {
    const message = `This change to ${lockFile} is too large for one: its journal would have more than ${MAX_JOURNAL_BYTES} bytes. Nothing was changed; install, update or remove fewer skills at once.`;
    const data = { lock: lockFile, maxBytes: MAX_JOURNAL_BYTES };
    throw new SkilletError("change-too-large", message, { data });
  }
  await ensureHome(folder);
  await writeAtomic(keptJournal(folder, lockFile), text, { mode: 0o600, links: "refuse" });
  if (journal.phase !== "stage") return;
  const mark = journalPath(lockFile);
  await removeFile(`${mark}.new`, lockFile);
  await writeSynced(`${mark}.new`, `${journal.transaction}\n`, { mode: 0o600 });
  await rename(`${mark}.new`, mark);
  await syncDirectory(dirname(mark));
}

/** Uses a rename, which works on a full disk. From here on, new files at a target belong to whoever made them. */
export async function markUndone(lockFile: string): Promise<void> {
  const path = journalPath(lockFile);
  if (existsSync(path)) await rename(path, `${path}.undone`);
  await syncDirectory(dirname(path));
}

/** Removes the journal, which ends the commit; if its mark reappears, that has no effect. */
export async function removeJournal(lockFile: string, folder: string): Promise<void> {
  const path = journalPath(lockFile);
  for (const ending of ENDINGS) await removeFile(`${path}${ending}`, lockFile);
  await syncDirectory(dirname(path));
  await rm(keptJournal(folder, lockFile), { force: true });
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

/** Reads the journal of a lock; a mark of a transaction that is not in progress here is an error. */
export function readJournal(lockFile: string, folder: string): Journal | undefined {
  for (const ending of ["", ".undone"]) {
    const mark = readBoundedFile(`${journalPath(lockFile)}${ending}`, { maxBytes: MAX_MARK_BYTES });
    if (mark === undefined) continue;
    const journal = readKept(keptJournal(folder, lockFile));
    if (journal === undefined || new TextDecoder().decode(mark) !== `${journal.transaction}\n`)
      throw foreignJournal(lockFile);
    return ending === "" ? journal : { ...journal, phase: "stage" };
  }
  return undefined;
}

function readKept(path: string): Journal | undefined {
  const bytes = readBoundedFile(path, { maxBytes: MAX_JOURNAL_BYTES, links: "refuse" });
  const parsed = bytes && parseStrictJson(new TextDecoder().decode(bytes));
  const document = parsed && "root" in parsed ? readDocument(journalSchema, parsed.root).value : undefined;
  if (document === undefined) return undefined;
  const { journalVersion: _, entries, ...journal } = document;
  return { ...journal, entries: new Map(Object.entries(entries)) };
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

interface JournalDocument extends Omit<Journal, "entries"> {
  readonly journalVersion: 1;
  readonly entries: Readonly<Record<string, LockEntry | null>>;
}

const journalSchema = object<JournalDocument>({
  journalVersion: oneOf([1]),
  transaction: matching(/^[0-9a-f]{32}$/, "32 hexadecimal digits"),
  phase: oneOf(["stage", "swap", "done"]),
  folders: array(place),
  steps: array(object<Step>({ place, action: oneOf(["put", "remove"]), had: flag, puts: optional(puts) })),
  entries: record((value, reading) => (value === null ? value : entrySchema(value, reading))),
  changesLock: flag,
  // Not validated: Skillet wrote the whole file.
  records: array((value) => value as AuditEntry),
});

export function foreignJournal(lockFile: string, path: string = journalPath(lockFile)): SkilletError {
  const message = `${path} was not written here by your Skillet, or was settled already, so it is not followed. If another machine or another SKILLET_HOME was interrupted, run any command there; otherwise check the folders of your skills with version control, where .skillet-….old would be an earlier version, and delete the file.`;
  return new SkilletError("journal-foreign", message, { data: { file: path } });
}
