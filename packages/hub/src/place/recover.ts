import { readlink, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { type AuditEntry, appendAudit, readAudit } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, syncDirectory, withFileLock } from "@skillet/kit/files";
import { isSameEntry } from "../lock/format-lock.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
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
import { isInside, type TargetBounds } from "./locate-target.ts";
import { checkRealFolder, isRealFolder, lstatOrAbsent, removeTree } from "./stage.ts";
import type { TreeStore } from "./tree-store.ts";

export interface RecoverOptions extends TargetBounds {
  readonly lockFile: string;
  readonly store: TreeStore;
  readonly audit: AuditWriter;
  /** Told where it stands; one that throws ends the work like any fault. */
  readonly onStage?: ((stage: string) => void) | undefined;
  /** Heeded until the first target is swapped. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Completes or undoes a commit that was interrupted; every command that looks at a lock calls it first.
 *
 * Where nothing is pending it looks for one file and is done. One that is still running is waited for.
 */
export async function recover(options: RecoverOptions): Promise<Settlement | "nothing"> {
  if (!hasJournal(options.lockFile)) return "nothing";
  const { lockFile, signal } = options;
  return withFileLock(`${lockFile}.lock`, () => recoverLocked(options), { ...(signal && { signal }) });
}

export async function recoverLocked(options: RecoverOptions): Promise<Settlement | "nothing"> {
  const { lockFile, store } = options;
  const journal = readJournal(lockFile, store.folder);
  if (journal !== undefined) {
    if (!isBounded(journal, options)) throw foreignJournal(lockFile);
    return settle(options, journal);
  }
  // A journal that was still being written says nothing, and nothing was done on it.
  if (hasJournal(lockFile)) await removeJournal(lockFile, store.folder);
  return "nothing";
}

/**
 * Whether every step lies where the lock might place something then: the folders of agents may have moved since, and
 * what was begun there is still to be ended there. A project's lock has no folder outside, whatever its journal says.
 */
function isBounded({ folders, steps }: Journal, { root, outside = [] }: TargetBounds): boolean {
  const allowed = outside.length === 0 ? [canonicalPath(root)] : folders;
  return steps.every(({ place }) => allowed.some((folder) => isInside(folder, place)));
}

export type Settlement = "completed" | "undone";

/**
 * Completes or undoes what a journal says, as the lock on disk decides; only whoever holds the lock's lock calls it.
 *
 * Every step looks at what is there, so it can be ended at any moment and begun again.
 */
export async function settle(options: RecoverOptions, journal: Journal): Promise<Settlement> {
  const { lockFile, store, audit, onStage } = options;
  const settlement = (await hasHappened(lockFile, journal)) ? "completed" : "undone";
  if (settlement === "completed") {
    for (const [index, step] of journal.steps.entries()) await complete(step, index, journal.transaction);
    await syncFolders(journal);
    await audit(journal.records, journal.transaction);
    onStage?.("audited");
  } else if (journal.phase !== "stage") {
    for (const [index, step] of [...journal.steps.entries()].reverse()) {
      await undo(step, index, journal);
      onStage?.(`undo ${index}`);
    }
    await syncFolders(journal);
    await markUndone(lockFile);
    onStage?.("undone");
  }
  for (const [index, step] of journal.steps.entries()) {
    await clean(step, index, journal, settlement);
    onStage?.(`cleaned ${index}`);
  }
  await removeTree(stagedLockPath(lockFile, journal.transaction));
  await removeJournal(lockFile, store.folder);
  onStage?.("settled");
  return settlement;
}

export function stagedLockPath(lockFile: string, transaction: string): string {
  return `${lockFile}.${transaction}.new`;
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

/** Finishes a swap that never came to its end, where a lock with the new entries came from elsewhere meanwhile. */
async function complete(step: Step, index: number, transaction: string): Promise<void> {
  const stage = stagePath(step, index, transaction);
  if (step.action !== "put") return;
  checkRealFolder(dirname(step.place));
  // What is at the place was looked at before the crash, and may be someone's work by now: it then differs from the
  // lock, as it would had nothing been begun here.
  if (!(await isThere(stage)) || (await isThere(step.place))) return;
  await rename(stage, step.place);
}

async function undo(step: Step, index: number, { transaction, entries }: Journal): Promise<void> {
  const { place, action, had } = step;
  // Whatever a link leads to was never touched, and what was touched is not there.
  checkRealFolder(dirname(place));
  const stage = stagePath(step, index, transaction);
  const backup = backupPath(step, index, transaction);
  const [isStaged, isBackedUp] = [await isThere(stage), await isThere(backup)];
  // A put whose new content is not staged any more has put it at its place, unless that was undone already.
  const wasSwapped = action === "put" && !isStaged && (isBackedUp || !had);
  if (wasSwapped && (await isAsPut(step, entries))) await rename(place, stage);
  if ((isBackedUp || wasSwapped) && (await isThere(place)))
    throw occupied(place, isBackedUp ? backup : undefined);
  if (isBackedUp) await rename(backup, place);
}

async function clean(step: Step, index: number, journal: Journal, settlement: Settlement): Promise<void> {
  if (!isRealFolder(dirname(step.place))) return;
  await removeTree(stagePath(step, index, journal.transaction));
  // An undone step has no backup any more; a step that was never begun none yet.
  if (settlement === "completed") await removeTree(backupPath(step, index, journal.transaction));
}

// One that someone removed with all that was in it has nothing to keep.
async function syncFolders({ steps }: Journal): Promise<void> {
  for (const folder of foldersOf(steps)) if (await isThere(folder)) await syncDirectory(folder);
}

async function isThere(path: string): Promise<boolean> {
  return (await lstatOrAbsent(path)) !== undefined;
}

function occupied(path: string, backup: string | undefined): SkilletError {
  const waits = backup === undefined ? "" : `; your earlier version waits in ${backup}`;
  const remedy = backup === undefined ? "Move it away" : "Move one of them away";
  const message = `${path} was made or edited while Skillet was interrupted, so it is kept${waits}. ${remedy} and run any command again.`;
  return new SkilletError("target-occupied", message, {
    data: { path, ...(backup !== undefined && { backup }) },
  });
}

/**
 * After a crash anyone may have written there: that our content is not staged any more does not make what is there
 * ours.
 */
async function isAsPut(
  { place, puts }: Step,
  entries: ReadonlyMap<string, LockEntry | null>,
): Promise<boolean> {
  const stats = await lstatOrAbsent(place);
  if (stats === undefined || puts === undefined) return false;
  if ("link" in puts) return stats.isSymbolicLink() && (await readlink(place)) === puts.link;
  const files = entries.get(puts.files)?.files;
  if (!stats.isDirectory() || files === undefined) return false;
  const drifts = await findDrift({ folder: place, target: "", files });
  return drifts.every(({ expendable }) => expendable === true);
}

/**
 * Writes the records of a commit to the audit log, each of them once: a repair calls it again with the same records,
 * because it cannot know whether the process that died had come that far.
 */
export type AuditWriter = (records: readonly AuditEntry[], transaction: string) => Promise<void>;

export function auditWriter(file: string, clock: () => number, actor: string): AuditWriter {
  return async (records, transaction) => {
    const written = await countRecords(file, transaction);
    for (const record of records.slice(written))
      await appendAudit({ file, record: { ...record, transaction }, clock, actor });
  };
}

// The lock's own lock keeps two writers of one transaction apart.
async function countRecords(file: string, transaction: string): Promise<number> {
  let count = 0;
  for await (const { record } of readAudit(file)) if (record?.transaction === transaction) count += 1;
  return count;
}
