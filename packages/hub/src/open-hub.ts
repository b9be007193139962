import { join } from "node:path";
import { type AllowedPlugin, appendAudit } from "@skillet/core";
import { auditActor, auditPath, DEFAULT_TRUSTED_SOURCES } from "@skillet/core/internal";
import { scanSkill } from "@skillet/scan";
import { type Allowance, allowedOf, allowedPlugins, allowPlugin, noteEntry } from "./apply/allow-plugin.ts";
import { applyPlan, refuseOccupied } from "./apply/apply-plan.ts";
import {
  findUnneeded,
  type Leftover,
  planUninstall,
  removeLeftovers,
  type Uninstall,
  uninstall,
} from "./apply/clean-home.ts";
import type { ApplyOptions } from "./apply/hub-result.ts";
import { type RemoveRequest, removeSkills } from "./apply/remove-skills.ts";
import { DEFAULT_HUB_LIMITS, scopeLock, scopeRoot } from "./hub-limits.ts";
import type { HubOptions } from "./hub-options.ts";
import { type AdoptRequest, planAdopt } from "./interop/plan-adopt.ts";
import type { Allowed, Drift, Lock, LockEntry } from "./lock/lock-entry.ts";
import { readLock } from "./lock/read-lock.ts";
import { auditWriter, recover } from "./place/recover.ts";
import { compareEdits, type FileDifference, threeWay } from "./place/three-way.ts";
import { TreeStore } from "./place/tree-store.ts";
import { verifyEntry } from "./place/verify-entry.ts";
import { type HistoryEntry, historyOf } from "./plan/history.ts";
import { chosenEntries, type HubParts, pastDecisions } from "./plan/hub-parts.ts";
import { linkDrift } from "./plan/lock-source.ts";
import { type InstallRequest, planInstall } from "./plan/plan-install.ts";
import { planRestore, planRollback, type RestoreRequest, type RollbackRequest } from "./plan/plan-restore.ts";
import { planTools, skillsWithTools, type ToolPlan, type ToolResult } from "./plan/plan-tools.ts";
import {
  planUpdate,
  type Standing,
  standingOf,
  type UpdateRequest,
  withoutRefused,
} from "./plan/plan-update.ts";
import { installedItems } from "./plan/read-installed.ts";
import { runToolPlan } from "./plan/run-tool-plan.ts";
import type { DoneItem, JudgedItem, Plan, PlannedItem, RefusedItem } from "./plan-item.ts";
import { applySwitch, type SwitchAction, type SwitchStep } from "./switch/apply-switch.ts";
import { outsideFolders } from "./target/targets.ts";

/** Installs, updates, verifies and removes the skills of one lock. */
export interface Hub {
  readonly lockFile: string;
  readonly root: string;
  /**
   * The lock with the allowances that are in effect: for a project's plugins those of this machine, and none
   * for a plugin whose bytes on disk differ from those that were allowed.
   */
  list(): Promise<Lock>;
  /** Fetches, scans and decides; nothing is placed. */
  planInstall(request: InstallRequest): Promise<Plan>;
  /** Plans to list a skill that is already in agents' folders. */
  planAdopt(request: AdoptRequest): Promise<PlannedItem | RefusedItem>;
  planUpdate(request: UpdateRequest): Promise<Plan>;
  /** Restores exactly what the lock says. */
  planRestore(request: RestoreRequest): Promise<Plan>;
  planRollback(request: RollbackRequest): Promise<Plan>;
  /** Carries out a plan, all of it or nothing, and records it. */
  apply(plan: Plan, options?: Partial<ApplyOptions>): Promise<readonly DoneItem[]>;
  remove(request: RemoveRequest): Promise<readonly DoneItem[]>;
  /** Finds stored files that no installed skill needs; with `all`, also those that only a rollback needs. */
  findUnneeded(options: { readonly all: boolean }): Promise<readonly Leftover[]>;
  removeLeftovers(leftovers: readonly Leftover[]): Promise<void>;
  /** What uninstalling Skillet would remove and leave; only for a user's hub. */
  planUninstall(): Promise<Uninstall>;
  uninstall(plan: Uninstall, options: { readonly discardEdits: boolean }): Promise<void>;
  /** Changes what agents load, after the user saw the plan; `enable` can undo each change. */
  applySwitch(plan: { readonly action: SwitchAction; readonly steps: readonly SwitchStep[] }): Promise<void>;
  /** Asks sources for newer versions; changes nothing. */
  outdated(names: readonly string[]): Promise<readonly Standing[]>;
  /** Hashes what is on disk against the lock; changes nothing. */
  verify(names: readonly string[]): Promise<readonly Verification[]>;
  /**
   * Compares the edits of an installed skill with a planned version; `backwards` compares only that version
   * with the installed one, for example if it was blocked. Undefined if the installed version was not kept.
   */
  compare(
    item: JudgedItem | PlannedItem,
    options?: { readonly backwards?: boolean },
  ): Promise<readonly FileDifference[] | undefined>;
  pin(name: string, reason: string): Promise<LockEntry>;
  unpin(name: string): Promise<LockEntry>;
  /** Turns the hooks or servers of a plugin on or off; a plugin that was changed on disk is refused. */
  allow(name: string, allowed: Allowed): Promise<Allowance>;
  /** The plugins with allowed hooks or servers, for `openSkills`; plugins whose bytes changed are left out. */
  plugins(): Promise<readonly AllowedPlugin[]>;
  history(name: string): Promise<readonly HistoryEntry[]>;
  /** How to get commands that a plan's skills, or installed ones, need and this machine lacks; runs nothing. */
  planTools(request: { readonly names: readonly string[]; readonly plan?: Plan }): Promise<ToolPlan>;
  /** Installs tools, asking the user for each one; `accepted` says that the user saw the plan and agreed already. */
  runTools(plan: ToolPlan, options?: { readonly accepted?: boolean }): Promise<readonly ToolResult[]>;
}

export interface Verification {
  readonly name: string;
  readonly entry: LockEntry;
  readonly drift: readonly Drift[];
}

/**
 * Opens the hub of a user or a project, after completing or undoing an interrupted change.
 *
 * @example
 * const hub = await openHub({ home, userHome, workspace, scope: { kind: "project", root }, environment: process.env, clock: Date.now });
 * const plan = await hub.planInstall({ source: "anthropics/skills@pdf", names: [], all: false, agents: [], agentTargets: "link", link: false, force: false });
 * const results = await hub.apply(plan);
 */
export function openHub(options: HubOptions): Promise<Hub> {
  return openHubWith({ ...options, scan: options.scan ?? scanSkill });
}

type ScanningOptions = HubOptions & Required<Pick<HubOptions, "scan">>;

/** Like `openHub`, with the scanner injected, so that bundlers can leave `@skillet/scan` out. */
export async function openHubWith(options: ScanningOptions): Promise<Hub> {
  const fixed = fixedParts(options);
  const { lockFile, root, store } = fixed;
  await recover(fixed);
  // Every call sees the current lock and the current decisions of this machine.
  const parts = async (): Promise<HubParts> => ({
    ...fixed,
    lock: await readLock(lockFile),
    decisions: pastDecisions(options.home),
  });
  const planned = async <Request>(
    plan: (parts: HubParts, request: Request) => Promise<Plan>,
    request: Request,
  ): Promise<Plan> => {
    const now = await parts();
    return refuseOccupied(now, await plan(now, request));
  };
  return {
    lockFile,
    root,
    list: async () => withAllowances(await parts()),
    planInstall: (request) => planned(planInstall, request),
    planAdopt: async (request) => planAdopt(await parts(), request),
    planUpdate: async (request) => {
      const plan = await planned(planUpdate, request);
      return request.keepGoing === true ? withoutRefused(plan) : plan;
    },
    planRestore: (request) => planned(planRestore, request),
    planRollback: (request) => planned(planRollback, request),
    apply: async (plan, given) =>
      applyPlan(await parts(), plan, { discardEdits: false, acceptCapabilities: false, ...given }),
    remove: async (request) => removeSkills(await parts(), request),
    findUnneeded: async (request) => findUnneeded(await parts(), request),
    removeLeftovers: async (leftovers) => removeLeftovers(await parts(), leftovers),
    planUninstall: async () => planUninstall(await parts()),
    uninstall: async (plan, request) => uninstall(await parts(), plan, request),
    applySwitch: async (plan) => applySwitch(await parts(), plan),
    outdated: async (names) => eachEntry(await parts(), names, standingOf),
    verify: async (names) => eachEntry(await parts(), names, verifyInstalled),
    compare: async ({ name, files, ...item }, { backwards = false } = {}) => {
      const { entry = (await parts()).lock.skills.get(name), drift = [] } =
        ("installed" in item && item.installed) || {};
      if (entry === undefined) return undefined;
      const base = backwards ? await store.get(entry.digest) : undefined;
      if (backwards) return base && threeWay(files, files, base);
      return compareEdits({ root, entry, drift, theirs: files, store });
    },
    pin: async (name, reason) =>
      noteEntry(await parts(), name, { action: "pin", reason }, (entry) => ({
        ...entry,
        pinned: { reason },
      })),
    unpin: async (name) =>
      noteEntry(await parts(), name, { action: "unpin" }, ({ pinned: _, ...entry }) => entry),
    plugins: async () => allowedPlugins(await parts()),
    allow: async (name, allowed) => allowPlugin(await parts(), name, allowed),
    history: async (name) => historyOf(await parts(), name),
    planTools: async ({ names, plan }) => {
      const planned = plan?.items.filter(({ name }) => names.length === 0 || names.includes(name));
      const items = planned ?? (await installedItems(await parts(), names));
      return planTools(items.flatMap(skillsWithTools), { ...options, platform: process.platform });
    },
    runTools: async (plan, { accepted = false } = {}) => runToolPlan(plan, { ...(await parts()), accepted }),
  };
}

function fixedParts(options: ScanningOptions): Omit<HubParts, "lock" | "decisions"> {
  const { home, environment, clock, signal, onStep, scan, allowedPrivateHosts = [] } = options;
  const file = auditPath(home);
  const actor = auditActor();
  return {
    ...options,
    root: scopeRoot(options.scope),
    lockFile: scopeLock(options.scope),
    store: new TreeStore(join(home, "store")),
    fetching: {
      home,
      limits: { ...DEFAULT_HUB_LIMITS, ...options.limits },
      environment,
      allowedPrivateHosts,
      // A project has no say in what is installed for the user.
      projectNpmrc: () =>
        options.scope.kind === "project" && options.projectTrusted === true
          ? join(options.workspace, ".npmrc")
          : undefined,
      signal,
      onStep,
    },
    scan: (files, given) => scan(files, { ...given, ...(signal && { signal }) }),
    trustedSources: options.trustedSources ?? DEFAULT_TRUSTED_SOURCES,
    falseAlarms: options.falseAlarms ?? true,
    signatures: options.signatures ?? [],
    held: new Map(options.holders),
    heldFor: options.heldFor ?? (async () => undefined),
    untrustedAround: options.untrustedAround ?? (() => undefined),
    outside: outsideFolders(options),
    audit: auditWriter(file, clock, actor),
    writeAudit: async (record) => {
      await appendAudit({ file, record, clock, actor });
    },
    onStep: onStep ?? (() => undefined),
  };
}

async function withAllowances(parts: HubParts): ReturnType<Hub["list"]> {
  const skills = new Map<string, LockEntry>();
  for (const [name, entry] of parts.lock.skills) {
    const allowed = await allowedOf(parts, name, entry);
    skills.set(name, allowed === undefined ? entry : { ...entry, allowed });
  }
  return { ...parts.lock, skills };
}

async function eachEntry<Answer>(
  parts: HubParts,
  names: readonly string[],
  ask: (parts: HubParts, name: string, entry: LockEntry) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const [name, entry] of chosenEntries(parts, names)) answers.push(await ask(parts, name, entry));
  return answers;
}

async function verifyInstalled(parts: HubParts, name: string, entry: LockEntry): Promise<Verification> {
  const drift = await verifyEntry(parts.root, name, entry, parts);
  return { name, entry, drift: [...linkDrift(parts, entry), ...drift] };
}
