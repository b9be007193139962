import type { AuditEntry, TreeFile } from "@skillet/core";
import { treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { isSameEntry } from "../lock/format-lock.ts";
import { type Lock, type LockEntry, lockedDigest } from "../lock/lock-entry.ts";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";

/** What is to become of one name; all changes of a commit happen or none. */
export type Change = {
  readonly record: AuditEntry;
} /** Installs or replaces. */ & (
  | {
      readonly kind: "put";
      readonly name: string;
      readonly files: readonly TreeFile[];
      /** Its targets say where; those that only the old entry had are taken away. */
      readonly entry: LockEntry;
      /** What the plan was made on; absent: the name was free. A lock that says otherwise by then ends the commit. */
      readonly before?: LockEntry;
      readonly discardEdits: boolean;
    }
  | { readonly kind: "note"; readonly name: string; readonly entry: LockEntry; readonly before: LockEntry }
  | {
      readonly kind: "remove";
      readonly name: string;
      readonly before: LockEntry;
      readonly discardEdits: boolean;
    }
);

/** Throws where the lock is not what the changes were planned on, or a change does not fit its own files. */
export function checkChanges(changes: readonly Change[], lock: Lock, lockFile: string): void {
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

export function lockChanged(name: string, lockFile: string): SkilletError {
  const message = `${name} was changed in ${lockFile} by somebody else meanwhile; nothing was changed. Look again what is to be done, and repeat it.`;
  return new SkilletError("lock-changed", message, { data: { name, lock: lockFile } });
}

function unfit(name: string, why: string): SkilletError {
  return new SkilletError("change-invalid", `${name} cannot be placed: ${why}.`, { data: { name } });
}
