import type { AllowedPlugin } from "@skillet/core";
import type { Allowance } from "./apply/allow-plugin.ts";
import type { Leftover, Uninstall } from "./apply/clean-home.ts";
import type { ApplyOptions } from "./apply/hub-result.ts";
import type { RemoveRequest } from "./apply/remove-skills.ts";
import type { AdoptRequest } from "./interop/plan-adopt.ts";
import type { Allowed, Drift, Lock, LockEntry } from "./lock/lock-entry.ts";
import type { FileDifference } from "./place/three-way.ts";
import type { HistoryEntry } from "./plan/history.ts";
import type { InstallRequest } from "./plan/plan-install.ts";
import type { RestoreRequest, RollbackRequest } from "./plan/plan-restore.ts";
import type { ToolPlan, ToolResult } from "./plan/plan-tools.ts";
import type { Standing, UpdateRequest } from "./plan/plan-update.ts";
import type { DoneItem, JudgedItem, Plan, PlannedItem, RefusedItem } from "./plan-item.ts";
import type { SwitchAction, SwitchStep } from "./switch/apply-switch.ts";

/** Installs, updates, verifies and removes the skills of one lock. */
export interface Hub {
  readonly lockFile: string;
  readonly root: string;
  /**
   * The lock, with the allowances that hold: for a project's plugins those of this machine, and none for a plugin whose
   * bytes on disk are not those that were allowed.
   */
  list(): Promise<Lock>;
  /** Fetches, scans and decides; nothing is placed. */
  planInstall(request: InstallRequest): Promise<Plan>;
  /** Plans to list a skill that lies in folders of agents already. */
  planAdopt(request: AdoptRequest): Promise<PlannedItem | RefusedItem>;
  planUpdate(request: UpdateRequest): Promise<Plan>;
  /** Brings back exactly what the lock says. */
  planRestore(request: RestoreRequest): Promise<Plan>;
  planRollback(request: RollbackRequest): Promise<Plan>;
  /** Places what was planned, all of it or nothing, and records it. */
  apply(plan: Plan, options?: Partial<ApplyOptions>): Promise<readonly DoneItem[]>;
  remove(request: RemoveRequest): Promise<readonly DoneItem[]>;
  /** What this machine keeps and no installed skill needs; with `all`, also what only a rollback does. */
  findUnneeded(options: { readonly all: boolean }): Promise<readonly Leftover[]>;
  removeLeftovers(leftovers: readonly Leftover[]): Promise<void>;
  /** What taking Skillet off this machine would remove and leave; for the hub of a user. */
  planUninstall(): Promise<Uninstall>;
  uninstall(plan: Uninstall, options: { readonly discardEdits: boolean }): Promise<void>;
  /** Changes what agents load, as shown to a person before; each change can be undone by `enable`. */
  applySwitch(plan: { readonly action: SwitchAction; readonly steps: readonly SwitchStep[] }): Promise<void>;
  /** Asks sources for newer versions; changes nothing. */
  outdated(names: readonly string[]): Promise<readonly Standing[]>;
  /** Hashes what is on disk against the lock; changes nothing. */
  verify(names: readonly string[]): Promise<readonly Verification[]>;
  /**
   * Compares edits of an installed skill with a planned version; `backwards`, only that version with the installed one,
   * as of one that was blocked. Undefined where the installed one was not kept.
   */
  compare(
    item: JudgedItem | PlannedItem,
    options?: { readonly backwards?: boolean },
  ): Promise<readonly FileDifference[] | undefined>;
  pin(name: string, reason: string): Promise<LockEntry>;
  unpin(name: string): Promise<LockEntry>;
  /** Lets the hooks or servers of a plugin be used, or takes that back; one that was changed on disk is refused. */
  allow(name: string, allowed: Allowed): Promise<Allowance>;
  /** The plugins of which hooks or servers are allowed, for `openSkills`; one whose bytes changed is left out. */
  plugins(): Promise<readonly AllowedPlugin[]>;
  history(name: string): Promise<readonly HistoryEntry[]>;
  /** How to get the commands that skills need and this machine lacks: those of a plan, or installed ones; runs nothing. */
  planTools(request: { readonly names: readonly string[]; readonly plan?: Plan }): Promise<ToolPlan>;
  /** Installs tools, each once a person agrees; `accepted` says that someone saw the plan and agreed already. */
  runTools(plan: ToolPlan, options?: { readonly accepted?: boolean }): Promise<readonly ToolResult[]>;
}

export interface Verification {
  readonly name: string;
  readonly entry: LockEntry;
  readonly drift: readonly Drift[];
}
