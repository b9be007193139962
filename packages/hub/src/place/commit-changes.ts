import { randomBytes } from "node:crypto";
import { readlink, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { AuditEntry, TreeFile } from "@skillet/core";
import { treeDigestOf } from "@skillet/kit/digest";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { ensureHome, syncDirectory, withFileLock } from "@skillet/kit/files";
import { formatLock, isSameEntry } from "../lock/format-lock.ts";
import { ENTRY_KEYS, type Lock, type LockEntry, lockedDigest } from "../lock/lock-entry.ts";
import { readLockBytes, readLockWithBytes } from "../lock/read-lock.ts";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";
import { backupPath, type Journal, type Step, stagePath, writeJournal } from "./journal.ts";
import { type HeldPlace, type PlacePlan, planSteps, refuseEdits } from "./plan-steps.ts";
import {
  foldersOf,
  type RecoverOptions,
  recoverLocked,
  type Settlement,
  settle,
  stagedLockPath,
} from "./recover.ts";
import { checkRealFolder, lstatOrAbsent, stageLock, stageStep } from "./stage.ts";
import type { TreeStore } from "./tree-store.ts";

interface CommitOptions extends RecoverOptions {
  readonly changes: readonly Change[];
}

/**
 * Makes changes to a lock and to the folders that it lists, all of them or none.
 *
 * The lock's rename is the moment at which they have happened. Whatever ends the process before or after, `recover`
 * undoes or completes from the journal; an error undoes at once.
 */
export async function commitChanges(options: CommitOptions): Promise<Journal["entries"]> {
  const { lockFile, changes, signal } = options;
  if (changes.length === 0) return new Map();
  await ensureHome(dirname(lockFile));
  return withFileLock(`${lockFile}.lock`, () => commitLocked(options), { ...(signal && { signal }) });
}

async function commitLocked(options: CommitOptions): Promise<Journal["entries"]> {
  const { lockFile, changes, store, onStage, signal } = options;
  onStage?.("locked");
  await recoverLocked({ ...options, onStage: undefined });
  const { lock, bytes } = await readLockWithBytes(lockFile);
  checkChanges(changes, lock, lockFile);
  const plan = await planSteps({ ...options, lock });
  onStage?.("checked");
  for (const change of changes)
    if (change.kind === "put" && change.entry.linked !== true) await store.put(change.files);
  onStage?.("stored");
  signal?.throwIfAborted();
  const journal = await place(options, plan, lock, bytes);
  try {
    await settle(options, journal);
  } catch (error) {
    throw pending(lockFile, error);
  }
  return journal.entries;
}

/** Everything from the journal to the new lock; what fails in it is undone before the error is passed on. */
async function place(
  options: CommitOptions,
  plan: PlacePlan,
  lock: Lock,
  bytes: Uint8Array | undefined,
): Promise<Journal> {
  const { lockFile, changes, store, onStage } = options;
  const transaction = randomBytes(16).toString("hex");
  let journal: Journal = {
    transaction,
    phase: "stage",
    folders: plan.folders,
    steps: plan.steps.map(({ place, action, had }): Step => ({ place, action, had })),
    entries: newEntries(changes),
    changesLock: true,
    records: changes.map(({ record }) => ({ ...record, transaction })),
  };
  try {
    await writeJournal(lockFile, store.folder, journal);
    onStage?.("journalled");
    const { entries, steps } = await stageAll(options, plan, journal);
    // By entries, not by bytes: a lock that was laid out by hand would else look as if the commit had happened.
    const changesLock = [...entries].some(([name, entry]) => !isSameEntry(lock.skills.get(name), entry));
    if (changesLock) await stageLock(lockFile, transaction, formatLock(applied(lock, entries)));
    onStage?.("staged");
    options.signal?.throwIfAborted();
    journal = { ...journal, phase: "swap", steps, entries, changesLock };
    await writeJournal(lockFile, store.folder, journal);
    onStage?.("prepared");
    await swapSteps(options, plan, journal);
    await checkUnchanged(options, bytes);
    if (changesLock) {
      await rename(stagedLockPath(lockFile, transaction), lockFile);
      await syncDirectory(dirname(lockFile));
    } else {
      journal = { ...journal, phase: "done" };
      await writeJournal(lockFile, store.folder, journal);
    }
    onStage?.("committed");
    return journal;
  } catch (error) {
    // The new lock was in place when something failed, or came from elsewhere: then all of it has happened.
    if ((await settleFailed(options, journal, error)) === "completed") return journal;
    throw failed(lockFile, error);
  }
}

async function stageAll(
  options: CommitOptions,
  plan: PlacePlan,
  journal: Journal,
): Promise<Pick<Journal, "entries" | "steps">> {
  const entries = new Map(journal.entries);
  const steps = [...journal.steps];
  for (const [index, { place, action, had, put }] of plan.steps.entries()) {
    if (put === undefined) continue;
    const { change, target } = put;
    const { name, entry, files } = change;
    const stage = stagePath({ place }, index, journal.transaction);
    const how = await stageStep({ stage, place, target, entry, files, bounds: options });
    if (how !== target.how) entries.set(name, withHow(entries.get(name) ?? entry, target.path, how));
    const puts = how === "link" ? { link: await readlink(stage) } : { files: name };
    steps[index] = { place, action, had, puts };
    options.onStage?.(`staged ${index}`);
    options.signal?.throwIfAborted();
  }
  return { entries, steps };
}

function withHow(entry: LockEntry, path: string, how: "copy" | "link"): LockEntry {
  return {
    ...entry,
    targets: entry.targets.map((target) => (target.path === path ? { ...target, how } : target)),
  };
}

/** Version control and editors know nothing of our lock's lock; what they wrote meanwhile must not be overwritten. */
async function checkUnchanged(
  { lockFile, changes }: CommitOptions,
  bytes: Uint8Array | undefined,
): Promise<void> {
  const now = await readLockBytes(lockFile);
  const isSame = bytes === undefined || now === undefined ? bytes === now : Buffer.compare(bytes, now) === 0;
  if (!isSame) throw lockChanged(changes.map(({ name }) => name).join(", "), lockFile);
}

function newEntries(changes: readonly Change[]): ReadonlyMap<string, LockEntry | null> {
  return new Map(
    changes.map((change) => [change.name, change.kind === "remove" ? null : keepUnknown(change)]),
  );
}

/** An update keeps what other versions and tools wrote into an entry. */
function keepUnknown(change: Exclude<Change, { readonly kind: "remove" }>): LockEntry {
  const kept = Object.entries(change.before ?? {}).filter(([key]) => !ENTRY_KEYS.has(key));
  return Object.assign(Object.create(null), Object.fromEntries(kept), change.entry);
}

function applied(lock: Lock, entries: ReadonlyMap<string, LockEntry | null>): Lock {
  const skills = new Map(lock.skills);
  for (const [name, entry] of entries) {
    if (entry === null) skills.delete(name);
    else skills.set(name, entry);
  }
  return { ...lock, skills };
}

async function settleFailed(options: CommitOptions, journal: Journal, cause: unknown): Promise<Settlement> {
  try {
    return await settle({ ...options, onStage: undefined }, journal);
  } catch (error) {
    throw pending(options.lockFile, new AggregateError([cause, error], describe(cause)));
  }
}

function failed(lockFile: string, cause: unknown): unknown {
  const errno = errorCode(cause);
  if (SkilletError.isInstance(cause) || errno === undefined) return cause;
  const message = `The change to ${lockFile} failed (${describe(cause)}) and was undone: everything is as it was. Check free space and permissions, then try again.`;
  return new SkilletError("place-failed", message, { data: { lock: lockFile, errno }, cause });
}

function pending(lockFile: string, cause: unknown): SkilletError {
  const message = `The change to ${lockFile} could not be finished (${describe(cause)}); its journal is kept, and the next command completes or undoes it.`;
  return new SkilletError("place-unfinished", message, { data: { lock: lockFile }, cause });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Moves what is there away and puts what is staged in its place, step by step; whoever calls it undoes what fails. */
async function swapSteps(
  { store, onStage }: CommitOptions,
  plan: PlacePlan,
  { steps, transaction }: Journal,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    checkRealFolder(dirname(step.place));
    if (step.had) {
      const backup = backupPath(step, index, transaction);
      await rename(step.place, backup);
      onStage?.(`moved ${index}`);
      const held = plan.steps[index]?.held;
      if (held !== undefined) await checkMoved(held, backup, store);
    }
    if (step.action === "put") {
      // A rename would replace a link or an empty folder that someone made since it was checked.
      if ((await lstatOrAbsent(step.place)) !== undefined) throw appeared(step.place);
      checkRealFolder(dirname(step.place));
      await rename(stagePath(step, index, transaction), step.place);
    }
    onStage?.(`swapped ${index}`);
  }
  for (const folder of foldersOf(steps)) await syncDirectory(folder);
}

/** Looks for edits once more, now that no one finds the files by their names: any since the plan would go with the backup. */
async function checkMoved(held: HeldPlace, backup: string, store: TreeStore): Promise<void> {
  try {
    await refuseEdits(held, { lies: backup, store });
  } catch (error) {
    // At once: should a lock with the new entries come from elsewhere, the commit is completed, which deletes backups.
    if ((await lstatOrAbsent(held.place)) === undefined) await rename(backup, held.place);
    throw error;
  }
}

function appeared(path: string): SkilletError {
  const message = `${path} appeared while it was being installed, so it is not replaced; nothing was changed. Move it away, and try again.`;
  return new SkilletError("target-occupied", message, { data: { path } });
}

/** What is to become of one name; all changes of a commit happen or none. */
export type Change = { readonly name: string; readonly record: AuditEntry } & (
  | {
      readonly kind: "put";
      readonly files: readonly TreeFile[];
      /** Its targets say where; those that only the old entry had are taken away. */
      readonly entry: LockEntry;
      /** What the plan was made on; absent: the name was free. A lock that says otherwise by then ends the commit. */
      readonly before?: LockEntry;
      readonly discardEdits: boolean;
    }
  | { readonly kind: "note"; readonly entry: LockEntry; readonly before: LockEntry }
  | { readonly kind: "remove"; readonly before: LockEntry; readonly discardEdits: boolean }
);

/** Throws where the lock is not what the changes were planned on, or a change does not fit its own files. */
function checkChanges(changes: readonly Change[], lock: Lock, lockFile: string): void {
  const names = new Set<string>();
  for (const change of changes) {
    if (names.has(change.name)) throw unfit(change.name, "it is changed twice at once");
    names.add(change.name);
    if (!isSameEntry(lock.skills.get(change.name), change.before)) throw lockChanged(change.name, lockFile);
    if (change.kind === "put") checkFiles(change);
  }
}

// What is placed must be what the lock then vouches for, whatever the caller mixed up.
function checkFiles(change: Extract<Change, { readonly kind: "put" }>): void {
  const { name, entry, files } = change;
  if (entry.targets.length === 0) throw unfit(name, "it has no target");
  if (entry.linked === true) {
    if (files.length > 0) throw unfit(name, "a linked folder has files of its own");
    if (entry.targets.some(({ how }) => how === "copy")) throw unfit(name, "a linked folder is to be copied");
    return;
  }
  for (const { path, mode } of files) {
    const problem = mode === "120000" ? "is a link" : checkEntryPath(path);
    if (problem !== undefined) throw unfit(name, `the path ${JSON.stringify(path)} ${problem}`);
  }
  const collision = findCollisions(files.map(({ path }) => path));
  if (collision !== undefined) throw unfit(name, collision);
  if (treeDigestOf(files) !== entry.digest)
    throw unfit(name, "its files do not have the digest of its entry");
  if (lockedDigest(entry) !== entry.digest) throw unfit(name, "its entry lists other files than it has");
}

function lockChanged(name: string, lockFile: string): SkilletError {
  const message = `${name} was changed in ${lockFile} by somebody else meanwhile; nothing was changed. Look again what is to be done, and repeat it.`;
  return new SkilletError("lock-changed", message, { data: { name, lock: lockFile } });
}

function unfit(name: string, why: string): SkilletError {
  return new SkilletError("change-invalid", `${name} cannot be placed: ${why}.`, { data: { name } });
}
