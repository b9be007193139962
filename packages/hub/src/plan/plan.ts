import type { Diagnostic, Digest } from "@skillet/core";
import type { Inspected } from "../inspect/inspected.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { VersionChanges } from "../update/version-changes.ts";
import type { Drift } from "../verify/drift.ts";

/** What would happen, decided and not yet done. */
export interface Plan {
  /** In byte order of name. */
  readonly items: readonly PlanItem[];
  /** What was asked for and cannot be had; with one of these nothing of the plan is carried out. */
  readonly refusals: readonly Refusal[];
  readonly diagnostics: readonly Diagnostic[];
}

/** One skill or plugin of a plan. */
export interface PlanItem extends Inspected {
  /** What it will be called. */
  readonly name: string;
  readonly action: "install" | "update" | "rollback" | "restore" | "unchanged";
  /** As the lock will have it. */
  readonly entry: LockEntry;
  /** As the lock has it. */
  readonly before?: LockEntry;
  /** Against the version that is there. */
  readonly changes?: VersionChanges;
  /** How what is on disk differs from what was installed; what somebody edited is replaced only if told so. */
  readonly drift?: readonly Drift[];
  /** Why it may be older than what is there, though it is signed; one of the questions, and never answered beforehand. */
  readonly downgrade?: string;
  /** That it comes from somebody else than what is there; one of the questions, and never answered beforehand. */
  readonly move?: string;
  /** Why a person must say yes to this one before it is placed; empty where nobody needs to. */
  readonly questions: readonly string[];
}

/** Something that is not installed, and why. */
export interface Refusal {
  readonly name: string;
  readonly source: string;
  readonly code: RefusalCode;
  /** A sentence for people that says what to do next. */
  readonly reason: string;
  /** What it would have been, where it came that far. */
  readonly inspected?: Inspected;
  readonly digest?: Digest;
  /** What was wanted of it, for the audit log; a block is one whatever was wanted. */
  readonly wanted?: "install" | "update" | "rollback";
}

export type RefusalCode =
  | "blocked"
  | "unfit"
  | "name-taken"
  | "pinned"
  | "not-found"
  | "frozen-mismatch"
  | "signature-missing"
  | "unavailable";
