import { canonicalPath, withFileLock } from "@skillet/kit/files";
import type { TreeStore } from "../store/tree-store.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { foreignJournal, hasJournal, type Journal, readJournal, removeJournal } from "./journal.ts";
import { isInside, type TargetBounds } from "./locate-target.ts";
import { type Settlement, settle } from "./settle.ts";

/** What `recover` needs; the store is the one that the interrupted commit had. */
export interface RecoverOptions extends TargetBounds {
  readonly lockFile: string;
  readonly store: TreeStore;
  readonly audit: AuditWriter;
  readonly onStage?: (stage: string) => void;
  readonly signal?: AbortSignal;
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

/** The same for whoever holds the lock's lock. */
export async function recoverLocked(options: RecoverOptions): Promise<Settlement | "nothing"> {
  const { lockFile, store, audit, onStage } = options;
  const journal = readJournal(lockFile, store.folder);
  if (journal !== undefined) {
    if (!isBounded(journal, options)) throw foreignJournal(lockFile);
    return settle({ lockFile, folder: store.folder, journal, audit, ...(onStage && { onStage }) });
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
