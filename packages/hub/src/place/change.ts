import type { AuditEntry, TreeFile } from "@skillet/core";
import type { LockEntry } from "../lock/lock-entry.ts";

/** What is to become of one name; all changes of a commit happen or none. */
export type Change = {
  /** What the audit log says of it; default: what follows from the change alone. */
  readonly record?: AuditEntry;
} /** Installs or replaces. */ & (
  | {
      readonly kind: "put";
      readonly name: string;
      /** Exactly what was scanned; empty for a linked folder. */
      readonly files: readonly TreeFile[];
      /** Its targets say where; those that only the old entry had are taken away. */
      readonly entry: LockEntry;
      /** What the plan was made on; absent: the name was free. A lock that says otherwise by then ends the commit. */
      readonly before?: LockEntry;
      /** Replace targets although somebody edited them. */
      readonly discardEdits: boolean;
    }
  /** Changes the entry only, such as a pin. */
  | { readonly kind: "note"; readonly name: string; readonly entry: LockEntry; readonly before: LockEntry }
  | {
      readonly kind: "remove";
      readonly name: string;
      readonly before: LockEntry;
      readonly discardEdits: boolean;
    }
);
