import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { syncDirectory } from "@skillet/kit/files";
import type { TreeStore } from "../store/tree-store.ts";
import type { Journal } from "./journal.ts";
import { lstatOrAbsent } from "./lstat-or-absent.ts";
import type { PlannedStep } from "./plan-steps.ts";
import { checkRealFolder } from "./real-folder.ts";
import { type HeldPlace, refuseEdits } from "./refuse-edits.ts";
import { foldersOf } from "./settle.ts";
import { backupPath, stagePath } from "./step.ts";

/** What swapping needs. */
export interface SwapOptions {
  /** On disk already. */
  readonly journal: Journal;
  /** Those of the journal, in its order. */
  readonly planned: readonly PlannedStep[];
  readonly store: TreeStore;
  readonly onStage?: (stage: string) => void;
}

/** Moves what is there away and puts what is staged in its place, step by step; whoever calls it undoes what fails. */
export async function swapSteps({ journal, planned, store, onStage }: SwapOptions): Promise<void> {
  const { steps, transaction } = journal;
  for (const [index, step] of steps.entries()) {
    checkRealFolder(dirname(step.place));
    if (step.had) {
      const backup = backupPath(step, index, transaction);
      await rename(step.place, backup);
      onStage?.(`moved ${index}`);
      const held = planned[index]?.held;
      if (held !== undefined) await checkMoved(held, backup, store);
    }
    if (step.action === "put") {
      // A rename would replace a link or an empty folder that somebody made since it was checked.
      if ((await lstatOrAbsent(step.place)) !== undefined) throw appeared(step.place);
      checkRealFolder(dirname(step.place));
      await rename(stagePath(step, index, transaction), step.place);
    }
    onStage?.(`swapped ${index}`);
  }
  for (const folder of foldersOf(steps)) await syncDirectory(folder);
}

/** Looks for edits once more, now that nobody finds the files by their names: any since the plan would go with the backup. */
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
