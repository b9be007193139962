import { randomBytes } from "node:crypto";
import { readlink, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { AuditEntry, TreeFile } from "@skillet/core";
import { treeDigestOf } from "@skillet/kit/digest";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { ensureHome, syncDirectory, withFileLock } from "@skillet/kit/files";
import { formatLock, isSameEntry } from "../lock/format-lock.ts";
import { keepUnknown, type Lock, type LockEntry, lockedDigest } from "../lock/lock-entry.ts";
import { readLockBytes, readLockWithBytes } from "../lock/read-lock.ts";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";
import { backupPath, type Journal, type Step, stagePath, writeJournal } from "./journal.ts";
import { type HeldPlace, type PlacePlan, planSteps, refuseEdits } from "./plan-steps.ts";
import { foldersOf, type RecoverOptions, recoverLocked, settle } from "./recover.ts";
import { checkRealFolder, lstatOrAbsent, stagedLockPath, stageLock, stageStep } from "./stage.ts";

/** The change of one name; the changes of a commit happen all together or not at all. */
export type Change = { readonly name: string; readonly record: AuditEntry } & (
  | {
      readonly kind: "put";
      readonly files: readonly TreeFile[];
      /** Its targets say where the files go; targets that only the old entry had are removed. */
      readonly entry: LockEntry;
      /** The entry that the plan was based on; absent if the name was free. The commit fails if the lock differs. */
      readonly before?: LockEntry;
      /** Targets that are not checked, whatever they contain. */
      readonly keeps?: LockEntry["targets"];
      readonly discardEdits: boolean;
    }
  | { readonly kind: "note"; readonly entry: LockEntry; readonly before: LockEntry }
  | {
      readonly kind: "remove";
      readonly before: LockEntry;
      /** Targets that were there before Skillet listed them. */
      readonly keeps?: LockEntry["targets"];
      readonly discardEdits: boolean;
    }
);

interface CommitOptions extends RecoverOptions {
  readonly changes: readonly Change[];
}

/**
 * Makes changes to a lock and to the folders that it lists, all of them or none.
 *
 * The changes take effect with the rename of the lock. Wherever the process ends before or after that,
 * `recover` undoes or completes them from the journal; an error undoes them immediately.
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
    throw unfinished(lockFile, error);
  }
  return journal.entries;
}

/** Throws if the lock is not the one that the changes were planned on, or if a change does not match its own files. */
function checkChanges(changes: readonly Change[], lock: Lock, lockFile: string): void {
  const names = new Set<string>();
  for (const change of changes) {
    if (names.has(change.name)) throw unfit(change.name, "it is changed twice at once");
    names.add(change.name);
    if (!isSameEntry(lock.skills.get(change.name), change.before)) throw lockChanged(change.name, lockFile);
    if (change.kind === "put") checkFiles(change);
  }
}

// The placed files must be those that the lock then lists, whatever the caller mixed up.
function checkFiles({ name, entry, files }: Extract<Change, { readonly kind: "put" }>): void {
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

/** Everything from the journal to the new lock; a failure is undone before its error is rethrown. */
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
    steps: plan.steps.map(({ place, held, put }): Step => {
      return { place, action: put === undefined ? "remove" : "put", had: held !== undefined };
    }),
    entries: new Map(
      changes.map((change) => {
        const { name, before } = change;
        return [name, change.kind === "remove" ? null : keepUnknown(before, change.entry)];
      }),
    ),
    changesLock: true,
    records: changes.map(({ record }) => ({ ...record, transaction })),
  };
  try {
    await writeJournal(lockFile, store.folder, journal);
    onStage?.("journalled");
    const { entries, steps } = await stageAll(options, plan, journal);
    // Compares entries, not bytes: with a lock formatted by hand, the commit would seem to have happened.
    const changesLock = [...entries].some(([name, entry]) => !isSameEntry(lock.skills.get(name), entry));
    if (changesLock) await stageLock(lockFile, transaction, formatLock(withEntries(lock, entries)));
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
    // If the new lock was in place before the failure, or came from elsewhere, the commit has happened.
    if ((await settleFailed(options, journal, error)) === "completed") return journal;
    const errno = errorCode(error);
    if (SkilletError.isInstance(error) || errno === undefined) throw error;
    const message = `The change to ${lockFile} failed (${describe(error)}) and was undone: everything is as it was. Check free space and permissions, then try again.`;
    throw new SkilletError("place-failed", message, { data: { lock: lockFile, errno }, cause: error });
  }
}

function withEntries(lock: Lock, entries: Journal["entries"]): Lock {
  const skills = new Map(lock.skills);
  for (const [name, entry] of entries) {
    if (entry === null) skills.delete(name);
    else skills.set(name, entry);
  }
  return { ...lock, skills };
}

async function stageAll(
  options: CommitOptions,
  plan: PlacePlan,
  journal: Journal,
): Promise<Pick<Journal, "entries" | "steps">> {
  const entries = new Map(journal.entries);
  const steps = [...journal.steps];
  for (const [index, step] of journal.steps.entries()) {
    const put = plan.steps[index]?.put;
    if (put === undefined) continue;
    const { target, change } = put;
    const { name, entry, files } = change;
    const stage = stagePath(step, index, journal.transaction);
    const how = await stageStep(stage, step.place, target, { entry, files, bounds: options });
    if (how !== target.how) {
      const known = entries.get(name) ?? entry;
      const targets = known.targets.map((one) => (one.path === target.path ? { ...one, how } : one));
      entries.set(name, { ...known, targets });
    }
    steps[index] = { ...step, puts: how === "link" ? { link: await readlink(stage) } : { files: name } };
    options.onStage?.(`staged ${index}`);
    options.signal?.throwIfAborted();
  }
  return { entries, steps };
}

/** Moves the old content away and the staged content to its place, step by step; the caller undoes it on failure. */
async function swapSteps(
  { onStage }: CommitOptions,
  plan: PlacePlan,
  { steps, transaction }: Journal,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    checkRealFolder(dirname(step.place));
    const held = plan.steps[index]?.held;
    if (held !== undefined) {
      const backup = backupPath(step, index, transaction);
      await rename(step.place, backup);
      onStage?.(`moved ${index}`);
      await checkMoved(held, backup);
    }
    if (step.action === "put") {
      // A rename would replace a link or an empty folder that someone made after the check.
      if ((await lstatOrAbsent(step.place)) !== undefined) {
        const message = `${step.place} appeared while it was being installed, so it is not replaced; nothing was changed. Move it away, and try again.`;
        throw new SkilletError("target-occupied", message, { data: { path: step.place } });
      }
      checkRealFolder(dirname(step.place));
      await rename(stagePath(step, index, transaction), step.place);
    }
    onStage?.(`swapped ${index}`);
  }
  for (const folder of foldersOf(steps)) await syncDirectory(folder);
}

/** Checks for edits again, now that the files are moved: those made since the plan would be lost with the backup. */
async function checkMoved(held: HeldPlace, backup: string): Promise<void> {
  try {
    await refuseEdits(held, backup);
  } catch (error) {
    // Moved back now: if a lock with the new entries arrives from elsewhere, settling deletes the backups.
    if ((await lstatOrAbsent(held.place)) === undefined) await rename(backup, held.place);
    throw error;
  }
}

/** Version control and editors do not know our file lock; what they wrote meanwhile must not be overwritten. */
async function checkUnchanged(
  { lockFile, changes }: CommitOptions,
  bytes: Uint8Array | undefined,
): Promise<void> {
  const now = await readLockBytes(lockFile);
  const isSame = bytes === undefined || now === undefined ? bytes === now : Buffer.compare(bytes, now) === 0;
  if (!isSame) throw lockChanged(changes.map(({ name }) => name).join(", "), lockFile);
}

async function settleFailed(
  options: CommitOptions,
  journal: Journal,
  cause: unknown,
): ReturnType<typeof settle> {
  try {
    return await settle({ ...options, onStage: undefined }, journal);
  } catch (error) {
    throw unfinished(options.lockFile, new AggregateError([cause, error], describe(cause)));
  }
}

function unfinished(lockFile: string, cause: unknown): SkilletError {
  const message = `The change to ${lockFile} could not be finished (${describe(cause)}); its journal is kept, and the next command completes or undoes it.`;
  return new SkilletError("place-unfinished", message, { data: { lock: lockFile }, cause });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function lockChanged(name: string, lockFile: string): SkilletError {
  const message = `${name} was changed in ${lockFile} by someone else meanwhile; nothing was changed. Check what is still to be done, and repeat it.`;
  return new SkilletError("lock-changed", message, { data: { name, lock: lockFile } });
}

function unfit(name: string, why: string): SkilletError {
  return new SkilletError("change-invalid", `${name} cannot be placed: ${why}.`, { data: { name } });
}
