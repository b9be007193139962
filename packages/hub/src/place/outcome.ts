import type { LockEntry } from "../lock/lock-entry.ts";

/** What a commit did for one change. */
export interface Outcome {
  readonly name: string;
  readonly did: "installed" | "updated" | "removed" | "noted";
  /** As the lock has it now; absent for what was removed. */
  readonly entry?: LockEntry;
  readonly targets: readonly TargetOutcome[];
  /** Under which the audit log has it. */
  readonly transaction: string;
}

export interface TargetOutcome {
  readonly path: string;
  /** `kept`: it was there already, byte by byte, or is the same place as another target. */
  readonly did: "placed" | "kept" | "removed";
}
