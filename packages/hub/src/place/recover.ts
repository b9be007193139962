import { readlink, rename } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type AuditEntry, appendAudit, readAudit } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside, removeTree, syncDirectory, withFileLock } from "@skillet/kit/files";
import { isSameEntry } from "../lock/format-lock.ts";
import { readLock } from "../lock/read-lock.ts";
import { findDrift } from "./find-drift.ts";
import {
  backupPath,
  foreignJournal,
  hasJournal,
  type Journal,
  markUndone,
  readJournal,
  removeJournal,
  type Step,
  stagePath,
} from "./journal.ts";
import type { TargetBounds } from "./locate-target.ts";
import { checkRealFolder, isRealFolder, lstatOrAbsent, stagedLockPath } from "./stage.ts";
import type { TreeStore } from "./tree-store.ts";

export interface RecoverOptions extends TargetBounds {
  readonly lockFile: string;
  readonly store: TreeStore;
  readonly audit: AuditWriter;
  /** Called at every stage; an exception from it ends the work like any other fault. */
  readonly onStage?: ((stage: string) => void) | undefined;
}

export type Settlement = "completed" | "undone";

/**
 * Completes or undoes an interrupted commit; every command that reads a lock calls it first.
 *
 * If nothing is pending, it only looks for one file. It waits for a commit that is still running.
 */
export async function recover(options: RecoverOptions): Promise<Settlement | "nothing"> {
  const { lockFile, signal } = options;
  if (!hasJournal(lockFile)) return "nothing";
  return withFileLock(`${lockFile}.lock`, () => recoverLocked(options), { ...(signal && { signal }) });
}

export async function recoverLocked(options: RecoverOptions): Promise<Settlement | "nothing"> {
  const { lockFile, store } = options;
  const journal = readJournal(lockFile, store.folder);
  if (journal !== undefined) {
    if (!isBounded(journal, options)) throw foreignJournal(lockFile);
    return settle(options, journal);
  }
  // A journal that was still being written has no effects to undo.
  if (hasJournal(lockFile)) await removeJournal(lockFile, store.folder);
  return "nothing";
}

/**
 * Whether every step is where the lock could place files at the time: agents' folders may have moved since,
 * and work begun there must end there. A project's lock has no folder outside, whatever its journal says.
 */
function isBounded({ folders, steps }: Journal, { root, outside = [] }: TargetBounds): boolean {
  const allowed = outside.length === 0 ? [canonicalPath(root)] : folders;
  return steps.every(({ place }) =>
    allowed.some((folder) => place !== folder && isInside(resolve(place), folder)),
  );
}

/**
 * Completes or undoes a journal, as the lock on disk decides; call it only while holding the file lock.
 *
 * Every step examines the disk first, so it can be interrupted at any moment and started again.
 */
export async function settle(options: RecoverOptions, journal: Journal): Promise<Settlement> {
  const { lockFile, store, audit, onStage } = options;
  const { transaction } = journal;
  const steps = [...journal.steps.entries()];
  const settlement = (await hasHappened(lockFile, journal)) ? "completed" : "undone";
  if (settlement === "completed") {
    for (const [index, step] of steps) await complete(step, index, transaction);
    await syncFolders(journal);
    await audit(journal.records, transaction);
    onStage?.("audited");
  } else if (journal.phase !== "stage") {
    for (const [index, step] of steps.toReversed()) {
      await undo(step, index, journal);
      onStage?.(`undo ${index}`);
    }
    await syncFolders(journal);
    await markUndone(lockFile);
    onStage?.("undone");
  }
  for (const [index, step] of steps) {
    if (isRealFolder(dirname(step.place))) {
      await removeTree(stagePath(step, index, transaction));
      // An undone step has no backup any more, and a step that was never begun has none yet.
      if (settlement === "completed") await removeTree(backupPath(step, index, transaction));
    }
    onStage?.(`cleaned ${index}`);
  }
  await removeTree(stagedLockPath(lockFile, transaction));
  await removeJournal(lockFile, store.folder);
  onStage?.("settled");
  return settlement;
}

export function foldersOf(steps: readonly Step[]): readonly string[] {
  return [...new Set(steps.map(({ place }) => dirname(place)))];
}

async function hasHappened(lockFile: string, journal: Journal): Promise<boolean> {
  if (journal.phase === "done") return true;
  if (journal.phase === "stage" || !journal.changesLock) return false;
  const { skills } = await readLock(lockFile);
  return [...journal.entries].every(([name, entry]) => isSameEntry(skills.get(name), entry));
}

/** Finishes a swap that was interrupted, if a lock with the new entries came from elsewhere meanwhile. */
async function complete(step: Step, index: number, transaction: string): Promise<void> {
  if (step.action !== "put") return;
  checkRealFolder(dirname(step.place));
  const stage = stagePath(step, index, transaction);
  // The place was checked before the crash, and may contain someone's work by now: it then differs from the
  // lock, as if nothing had been begun here.
  if ((await isThere(stage)) && !(await isThere(step.place))) await rename(stage, step.place);
}

async function undo(step: Step, index: number, journal: Journal): Promise<void> {
  const { place, action, had } = step;
  // The destination of a link was never touched, and no touched place is below a link.
  checkRealFolder(dirname(place));
  const stage = stagePath(step, index, journal.transaction);
  const backup = backupPath(step, index, journal.transaction);
  const [isStaged, isBackedUp] = [await isThere(stage), await isThere(backup)];
  // Content that is no longer staged was moved to its place, unless that was undone already.
  const wasSwapped = action === "put" && !isStaged && (isBackedUp || !had);
  if (wasSwapped && (await isAsPut(step, journal))) await rename(place, stage);
  if ((isBackedUp || wasSwapped) && (await isThere(place))) {
    const waits = isBackedUp ? `; your earlier version waits in ${backup}` : "";
    const remedy = isBackedUp ? "Move one of them away" : "Move it away";
    const message = `${place} was made or edited while Skillet was interrupted, so it is kept${waits}. ${remedy} and run any command again.`;
    const data = { path: place, ...(isBackedUp && { backup }) };
    throw new SkilletError("target-occupied", message, { data });
  }
  if (isBackedUp) await rename(backup, place);
}

/** Whether a place contains our content: after a crash, anyone may have written there. */
async function isAsPut({ place, puts }: Step, { entries }: Journal): Promise<boolean> {
  const stats = await lstatOrAbsent(place);
  if (stats === undefined || puts === undefined) return false;
  if ("link" in puts) return stats.isSymbolicLink() && (await readlink(place)) === puts.link;
  const files = entries.get(puts.files)?.files;
  if (!stats.isDirectory() || files === undefined) return false;
  const drifts = await findDrift({ folder: place, target: "", files });
  return drifts.every(({ expendable }) => expendable === true);
}

// A folder that someone removed with its content has nothing to sync.
async function syncFolders({ steps }: Journal): Promise<void> {
  for (const folder of foldersOf(steps)) if (await isThere(folder)) await syncDirectory(folder);
}

async function isThere(path: string): Promise<boolean> {
  return (await lstatOrAbsent(path)) !== undefined;
}

/**
 * Writes the records of a commit to the audit log, each of them once: a recovery calls it again with the same
 * records, because it cannot know how far the dead process came.
 */
export type AuditWriter = (records: readonly AuditEntry[], transaction: string) => Promise<void>;

export function auditWriter(file: string, clock: () => number, actor: string): AuditWriter {
  return async (records, transaction) => {
    let written = 0;
    // The file lock prevents two writers of the same transaction.
    for await (const { record } of readAudit(file)) if (record?.transaction === transaction) written += 1;
    for (const record of records.slice(written))
      await appendAudit({ file, record: { ...record, transaction }, clock, actor });
  };
}
