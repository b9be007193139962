import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import { SkilletError, syncDirectory } from "@skillet/core";
import { isSameEntry } from "../lock/format-lock.ts";
import { readLock } from "../lock/read-lock.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { type Journal, markUndone, removeJournal } from "./journal.ts";
import { lstatOrAbsent } from "./lstat-or-absent.ts";
import { removeTree } from "./remove-tree.ts";
import { backupPath, type Step, stagePath } from "./step.ts";

/** What a commit that was begun has come to. */
export type Settlement = "completed" | "undone";

/** What settling needs. */
export interface SettleOptions {
  readonly lockFile: string;
  readonly journal: Journal;
  readonly audit: AuditWriter;
  readonly onStage?: (stage: string) => void;
}

/**
 * Completes or undoes what a journal says, as the lock on disk decides; only whoever holds the lock's lock calls it.
 *
 * Every step looks at what is there, so it can be ended at any moment and begun again.
 */
export async function settle(options: SettleOptions): Promise<Settlement> {
  const { lockFile, journal, audit, onStage } = options;
  const settlement = (await hasHappened(lockFile, journal)) ? "completed" : "undone";
  if (settlement === "completed") {
    for (const [index, step] of journal.steps.entries()) await complete(step, index, journal.transaction);
    for (const folder of foldersOf(journal.steps)) await syncDirectory(folder);
    await audit(journal.records, journal.transaction);
    onStage?.("audited");
  } else if (journal.phase !== "stage") {
    for (const [index, step] of [...journal.steps.entries()].reverse()) {
      await undo(step, index, journal.transaction);
      onStage?.(`undo ${index}`);
    }
    for (const folder of foldersOf(journal.steps)) await syncDirectory(folder);
    await markUndone(lockFile);
    onStage?.("undone");
  }
  for (const [index, step] of journal.steps.entries()) {
    await removeTree(stagePath(step, index, journal.transaction));
    // An undone step has no backup any more; a step that was never begun none yet.
    if (settlement === "completed") await removeTree(backupPath(step, index, journal.transaction));
    onStage?.(`cleaned ${index}`);
  }
  await removeTree(stagedLockPath(lockFile, journal.transaction));
  await removeJournal(lockFile);
  onStage?.("settled");
  return settlement;
}

/** Where the new lock waits to be renamed. */
export function stagedLockPath(lockFile: string, transaction: string): string {
  return `${lockFile}.${transaction}.new`;
}

/** The folders in which steps take place, each once. */
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
  if (step.action !== "put" || !(await isThere(stage))) return;
  const backup = backupPath(step, index, transaction);
  if (await isThere(step.place)) {
    if (!step.had || (await isThere(backup))) return;
    await rename(step.place, backup);
  }
  await rename(stage, step.place);
}

async function undo(step: Step, index: number, transaction: string): Promise<void> {
  const stage = stagePath(step, index, transaction);
  const backup = backupPath(step, index, transaction);
  const [isStaged, isBackedUp] = [await isThere(stage), await isThere(backup)];
  // A put whose new content is not staged any more has put it at its place, unless that was undone already.
  const wasSwapped = step.action === "put" && !isStaged && (isBackedUp || !step.had);
  if (wasSwapped && (await isThere(step.place))) await rename(step.place, stage);
  if (!isBackedUp) return;
  if (await isThere(step.place)) {
    const message = `${step.place} was created while Skillet was interrupted; your earlier version waits in ${backup}. Move one of them away and run any command again.`;
    throw new SkilletError("target-occupied", message, { data: { path: step.place, backup } });
  }
  await rename(backup, step.place);
}

async function isThere(path: string): Promise<boolean> {
  return (await lstatOrAbsent(path)) !== undefined;
}
