import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Inspected } from "../candidate/candidate.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Drift } from "../place/find-drift.ts";
import type { VersionChanges } from "./version-changes.ts";

export interface Plan {
  readonly items: readonly PlanItem[];
  /** With one of these nothing of the plan is carried out. */
  readonly refusals: readonly Refusal[];
  /** Refusals that do not keep the rest of the plan from being carried out, because `keepGoing` was set. */
  readonly failed?: readonly Refusal[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface PlanItem extends Inspected {
  readonly name: string;
  readonly action: "install" | "update" | "rollback" | "restore" | "unchanged";
  readonly entry: LockEntry;
  /** Where it really comes from, unless that is the source that was named. */
  readonly takenFrom?: string;
  readonly before?: LockEntry;
  readonly changes?: VersionChanges;
  readonly drift?: readonly Drift[];
  /** Why it may be older than the installed version, though it is signed; a question that only force answers. */
  readonly downgrade?: string;
  /** That its publisher is not that of the installed version; a question that only force answers. */
  readonly move?: string;
  /** Those of these two that force answered, so that no one is asked; shown and recorded. */
  readonly overridden?: readonly string[];
  readonly askedBy?: "person";
  /** Why a person must approve this one before it is placed; empty where no one needs to. */
  readonly questions: readonly string[];
}

export interface Refusal {
  readonly name: string;
  readonly source: string;
  readonly code: RefusalCode;
  readonly reason: string;
  readonly inspected?: Inspected;
  readonly digest?: Digest;
  /** For the audit log; absent for an install. A block is recorded as one in any case. */
  readonly wanted?: "update" | "rollback";
  /** The skill that would have brought it along, unless this one was asked for itself. */
  readonly neededBy?: string;
}

export type RefusalCode =
  | "blocked"
  | "unfit"
  | "name-taken"
  | "pinned"
  | "linked"
  | "frozen-mismatch"
  | "signature-missing"
  | "unavailable";
