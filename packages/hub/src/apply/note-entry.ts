import type { AuditEntry } from "@skillet/core";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Change } from "../place/change.ts";
import { commitChanges } from "../place/commit-changes.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { chosenEntries } from "../plan/plan-update.ts";

/** Changes what the lock says of a skill, and none of its files. */
export async function noteEntry(
  parts: HubParts,
  name: string,
  note: {
    readonly change: (entry: LockEntry) => LockEntry;
    readonly record: Pick<AuditEntry, "action" | "reason">;
  },
): Promise<LockEntry> {
  const [[, before] = []] = chosenEntries(parts, [name]);
  // The names were checked.
  if (before === undefined) throw new TypeError(`no entry of ${name}`);
  const entry = note.change(before);
  const { lockFile, root, store, outside, audit, signal } = parts;
  const record: AuditEntry = {
    ...note.record,
    skill: name,
    path: lockFile,
    digest: entry.digest,
    decision: "allow",
  };
  const changes: readonly Change[] = [{ kind: "note", name, before, entry, record }];
  await commitChanges({ lockFile, root, store, outside, changes, audit, ...(signal && { signal }) });
  return entry;
}
