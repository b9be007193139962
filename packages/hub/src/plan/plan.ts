import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Inspected } from "../candidate/candidate.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Drift } from "../place/find-drift.ts";
import type { VersionChanges } from "./version-changes.ts";

export interface Plan {
  readonly items: readonly PlanItem[];
  /** What was asked for and cannot be had; with one of these nothing of the plan is carried out. */
  readonly refusals: readonly Refusal[];
  /** The same, where someone said to go on with the others; it keeps nothing of the plan from being carried out. */
  readonly failed?: readonly Refusal[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface PlanItem extends Inspected {
  readonly name: string;
  readonly action: "install" | "update" | "rollback" | "restore" | "unchanged";
  readonly entry: LockEntry;
  /** Where it really lies, where that is not the source that was named. */
  readonly takenFrom?: string;
  readonly before?: LockEntry;
  readonly changes?: VersionChanges;
  readonly drift?: readonly Drift[];
  /** Why it may be older than what is there, though it is signed; one of the questions, which only force answers. */
  readonly downgrade?: string;
  /** That it comes from someone other than what is there; one of the questions, which only force answers. */
  readonly move?: string;
  /** What of these two force answered, so that no one is asked; it is shown and recorded. */
  readonly overridden?: readonly string[];
  readonly askedBy?: "person";
  /** Why a person must say yes to this one before it is placed; empty where no one needs to. */
  readonly questions: readonly string[];
}

export interface Refusal {
  readonly name: string;
  readonly source: string;
  readonly code: RefusalCode;
  readonly reason: string;
  readonly inspected?: Inspected;
  readonly digest?: Digest;
  /** What was wanted of it, for the audit log, where that is not an install; a block is one whatever was wanted. */
  readonly wanted?: "update" | "rollback";
  /** The skill that would have brought it along, where no one asked for this one itself. */
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
