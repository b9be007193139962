import { join } from "node:path";
import { appendAudit, auditActor, auditPath, DEFAULT_TRUSTED_SOURCES } from "@skillet/core";
import { scanSkill } from "@skillet/scan";
import { allowPlugin } from "./apply/allow-plugin.ts";
import type { ApplyOptions } from "./apply/apply-options.ts";
import { applyPlan } from "./apply/apply-plan.ts";
import type { HubResult } from "./apply/hub-result.ts";
import { noteEntry } from "./apply/note-entry.ts";
import { removeSkills } from "./apply/remove-skills.ts";
import { installedCandidates } from "./dependency/installed-candidates.ts";
import { planTools } from "./dependency/plan-tools.ts";
import { runToolPlan } from "./dependency/run-tool-plan.ts";
import { skillsWithTools } from "./dependency/skills-with-tools.ts";
import type { ToolPlan, ToolResult } from "./dependency/tool-plan.ts";
import { DEFAULT_HUB_LIMITS } from "./hub-limits.ts";
import type { HubOptions } from "./hub-options.ts";
import { scopeLock, scopeRoot } from "./hub-scope.ts";
import { keptAllowance } from "./inspect/kept-allowances.ts";
import type { Lock, LockEntry } from "./lock/lock-entry.ts";
import { readLock } from "./lock/read-lock.ts";
import { type AuditWriter, auditWriter } from "./place/audit-writer.ts";
import { recover } from "./place/recover.ts";
import { fetchingFor } from "./plan/fetching-for.ts";
import type { HubParts } from "./plan/hub-parts.ts";
import { linkDrift } from "./plan/linked-entry.ts";
import type { Plan, PlanItem } from "./plan/plan.ts";
import { type InstallRequest, planInstall } from "./plan/plan-install.ts";
import { planRestore, type RestoreRequest } from "./plan/plan-restore.ts";
import { planRollback } from "./plan/plan-rollback.ts";
import {
  asInstalled,
  chosenEntries,
  planUpdate,
  readNewest,
  type UpdateRequest,
} from "./plan/plan-update.ts";
import { TreeStore } from "./store/tree-store.ts";
import { outsideFolders } from "./target/outside-folders.ts";
import { type HistoryEntry, readHistory } from "./update/history.ts";
import { type Standing, standingOf } from "./update/outdated.ts";
import { compareEdits } from "./verify/compare-edits.ts";
import type { Drift } from "./verify/drift.ts";
import type { FileDifference } from "./verify/three-way.ts";
import { verifyEntry } from "./verify/verify-entry.ts";

/** Installs, updates, verifies and removes the skills of one lock. */
export interface Hub {
  readonly lockFile: string;
  /** The folder of the lock. */
  readonly root: string;
  /** What is installed, as the lock says; what plugins of a project may run, as people on this machine say. */
  list(): Promise<Lock>;
  /** Fetches, scans and decides; nothing is placed. */
  planInstall(request: InstallRequest): Promise<Plan>;
  planUpdate(request: UpdateRequest): Promise<Plan>;
  /** What the lock says, exactly. */
  planRestore(request: RestoreRequest): Promise<Plan>;
  planRollback(request: {
    readonly name: string;
    readonly to?: string;
    readonly force: boolean;
  }): Promise<Plan>;
  /** Places what was planned, all of it or nothing, and records it. */
  apply(plan: Plan, options?: Partial<ApplyOptions>): Promise<readonly HubResult[]>;
  remove(request: {
    readonly names: readonly string[];
    readonly discardEdits: boolean;
    readonly dryRun: boolean;
  }): Promise<readonly HubResult[]>;
  /** Asks sources for newer versions; changes nothing. */
  outdated(names: readonly string[]): Promise<readonly Standing[]>;
  /** Hashes what is on disk against the lock; changes nothing. */
  verify(names: readonly string[]): Promise<readonly Verification[]>;
  /** Edits of an installed skill against a version that is planned; undefined where the installed one was not kept. */
  compare(item: PlanItem): Promise<readonly FileDifference[] | undefined>;
  pin(name: string, reason: string): Promise<LockEntry>;
  unpin(name: string): Promise<LockEntry>;
  /** Lets the hooks or servers of a plugin be used, or takes that back. */
  allow(name: string, allowed: { readonly hooks: boolean; readonly mcpServers: boolean }): Promise<LockEntry>;
  history(name: string): Promise<readonly HistoryEntry[]>;
  /** How to get the commands that skills need and this machine lacks: those of a plan, or installed ones; runs nothing. */
  planTools(request: { readonly names: readonly string[]; readonly plan?: Plan }): Promise<ToolPlan>;
  /** Installs tools, each after a yes of a person; `accepted` says that somebody saw the plan and said it already. */
  runTools(plan: ToolPlan, options?: { readonly accepted?: boolean }): Promise<readonly ToolResult[]>;
}

/** What is on disk of one skill, against its lock. */
export interface Verification {
  readonly name: string;
  readonly entry: LockEntry;
  /** Empty: exactly what the lock says. */
  readonly drift: readonly Drift[];
}

/**
 * Opens the hub of a user or a project; what a command that was killed left behind is completed or undone first.
 *
 * @example
 * const hub = await openHub({ home, userHome, workspace, scope: { kind: "project", root }, environment: process.env, clock: Date.now });
 * const plan = await hub.planInstall({ source: "anthropics/skills@pdf", names: [], all: false, agents: [], agentTargets: "link", link: false, force: false });
 * const results = await hub.apply(plan);
 */
export function openHub(options: HubOptions): Promise<Hub> {
  return openHubWith({ ...options, scan: options.scan ?? scanSkill });
}

/** The same with a scanner of the caller's, who then need not have this one in his bundle. */
export async function openHubWith(options: ScanningOptions): Promise<Hub> {
  const hub = new SkillHub(options);
  await hub.recover();
  return hub;
}

type ScanningOptions = HubOptions & Required<Pick<HubOptions, "scan">>;

class SkillHub implements Hub {
  readonly lockFile: string;
  readonly root: string;
  readonly #options: ScanningOptions;
  readonly #store: TreeStore;
  readonly #outside: readonly string[];
  readonly #audit: AuditWriter;

  constructor(options: ScanningOptions) {
    this.#options = options;
    this.lockFile = scopeLock(options.scope);
    this.root = scopeRoot(options.scope);
    this.#store = new TreeStore(join(options.home, "store"));
    this.#outside = outsideFolders(options);
    this.#audit = auditWriter({ file: auditPath(options.home), clock: options.clock, actor: auditActor() });
  }

  async recover(): Promise<void> {
    const { lockFile, root } = this;
    await recover({ lockFile, root, outside: this.#outside, store: this.#store, audit: this.#audit });
  }

  async list(): Promise<Lock> {
    const lock = await readLock(this.lockFile);
    if (this.#options.scope.kind === "user") return lock;
    const { lockFile } = this;
    const skills = [...lock.skills].map(([name, entry]): [string, LockEntry] => {
      if (entry.allowed === undefined) return [name, entry];
      const allowed = keptAllowance(this.#options.home, { lockFile, name, digest: entry.digest });
      return [name, { ...entry, allowed }];
    });
    return { ...lock, skills: new Map(skills) };
  }

  async planInstall(request: InstallRequest): Promise<Plan> {
    return planInstall(await this.#parts(), request);
  }

  async planUpdate(request: UpdateRequest): Promise<Plan> {
    return planUpdate(await this.#parts(), request);
  }

  async planRestore(request: RestoreRequest): Promise<Plan> {
    return planRestore(await this.#parts(), request);
  }

  async planRollback(request: {
    readonly name: string;
    readonly to?: string;
    readonly force: boolean;
  }): Promise<Plan> {
    return planRollback(await this.#parts(), request);
  }

  async apply(plan: Plan, options: Partial<ApplyOptions> = {}): Promise<readonly HubResult[]> {
    return applyPlan(await this.#parts(), plan, {
      discardEdits: false,
      acceptCapabilities: false,
      ...options,
    });
  }

  async remove(request: Parameters<Hub["remove"]>[0]): Promise<readonly HubResult[]> {
    return removeSkills(await this.#parts(), request);
  }

  async outdated(names: readonly string[]): Promise<readonly Standing[]> {
    const parts = await this.#parts();
    const { root, userHome } = parts;
    const standings: Standing[] = [];
    for (const [name, entry] of chosenEntries(parts, names))
      standings.push(
        await standingOf(name, entry, {
          fetching: fetchingFor(parts, entry),
          root,
          userHome,
          newestDigest: async () => {
            const reading = await readNewest(parts, name, entry);
            return "problem" in reading ? undefined : asInstalled(reading, name).digest;
          },
        }),
      );
    return standings;
  }

  async verify(names: readonly string[]): Promise<readonly Verification[]> {
    const parts = await this.#parts();
    const verifications: Verification[] = [];
    for (const [name, entry] of chosenEntries(parts, names))
      verifications.push({
        name,
        entry,
        drift: [...linkDrift(parts, entry), ...(await this.#drift(name, entry))],
      });
    return verifications;
  }

  #drift(name: string, entry: LockEntry): Promise<readonly Drift[]> {
    const { signal } = this.#options;
    const options = { outside: this.#outside, store: this.#store, ...(signal && { signal }) };
    return verifyEntry(this.root, name, entry, options);
  }

  async compare({ name, before, candidate }: PlanItem): Promise<readonly FileDifference[] | undefined> {
    if (before === undefined) return undefined;
    const drift = await this.#drift(name, before);
    const { root } = this;
    return compareEdits({ root, entry: before, drift, theirs: candidate.files, store: this.#store });
  }

  async pin(name: string, reason: string): Promise<LockEntry> {
    return noteEntry(await this.#parts(), name, {
      change: (entry) => ({ ...entry, pinned: { reason } }),
      record: { action: "pin", reason },
    });
  }

  async unpin(name: string): Promise<LockEntry> {
    return noteEntry(await this.#parts(), name, {
      change: ({ pinned: _, ...entry }) => entry,
      record: { action: "unpin" },
    });
  }

  async allow(
    name: string,
    allowed: { readonly hooks: boolean; readonly mcpServers: boolean },
  ): Promise<LockEntry> {
    return allowPlugin(await this.#parts(), name, allowed);
  }

  history(name: string): Promise<readonly HistoryEntry[]> {
    return readHistory({ home: this.#options.home, lockFile: this.lockFile, name });
  }

  async planTools({ names, plan }: Parameters<Hub["planTools"]>[0]): Promise<ToolPlan> {
    const parts = await this.#parts();
    const candidates =
      plan === undefined
        ? await installedCandidates(parts, names)
        : plan.items
            .filter(({ name }) => names.length === 0 || names.includes(name))
            .map(({ name, candidate }) => ({ ...candidate, name }));
    const { home, environment } = parts;
    return planTools(candidates.flatMap(skillsWithTools), { home, platform: process.platform, environment });
  }

  async runTools(
    plan: ToolPlan,
    { accepted = false }: { readonly accepted?: boolean } = {},
  ): Promise<readonly ToolResult[]> {
    const { home, environment, fetching, ask, signal, writeAudit, lockFile } = await this.#parts();
    const options = { home, environment, fetching, ask, accepted, signal, writeAudit, lockFile };
    return runToolPlan(plan, options);
  }

  async #parts(): Promise<HubParts> {
    const { home, userHome, workspace, scope, environment, clock, ask, signal, onStep } = this.#options;
    const allowedPrivateHosts = this.#options.allowedPrivateHosts ?? [];
    const limits = { ...DEFAULT_HUB_LIMITS, ...this.#options.limits };
    return {
      home,
      userHome,
      workspace,
      scope,
      root: this.root,
      lockFile: this.lockFile,
      lock: await readLock(this.lockFile),
      store: this.#store,
      fetching: {
        home,
        limits,
        environment,
        allowedPrivateHosts,
        ...(signal && { signal }),
        ...(onStep && { onStep }),
      },
      environment,
      scan: this.#options.scan,
      trustedSources: this.#options.trustedSources ?? DEFAULT_TRUSTED_SOURCES,
      signatures: this.#options.signatures ?? [],
      holderOf: this.#options.holderOf ?? (() => undefined),
      isTrusted: this.#options.isTrusted ?? (() => true),
      ask,
      clock,
      outside: this.#outside,
      audit: this.#audit,
      writeAudit: (entry) => this.#writeAudit(entry),
      onStep: onStep ?? (() => undefined),
      signal,
    };
  }

  async #writeAudit(record: Parameters<HubParts["writeAudit"]>[0]): Promise<void> {
    const { home, clock } = this.#options;
    await appendAudit({ file: auditPath(home), record, clock, actor: auditActor() });
  }
}
