import { join } from "node:path";
import { appendAudit } from "@skillet/core";
import { auditActor, auditPath, DEFAULT_TRUSTED_SOURCES } from "@skillet/core/internal";
import { scanSkill } from "@skillet/scan";
import { type Allowance, allowedOf, allowPlugin, noteEntry } from "./apply/allow-plugin.ts";
import { applyPlan } from "./apply/apply-plan.ts";
import type { ApplyOptions, HubResult } from "./apply/hub-result.ts";
import { removeSkills } from "./apply/remove-skills.ts";
import type { Hub, Verification } from "./hub.ts";
import { DEFAULT_HUB_LIMITS, scopeLock, scopeRoot } from "./hub-limits.ts";
import type { HubOptions } from "./hub-options.ts";
import type { Lock, LockEntry } from "./lock/lock-entry.ts";
import { readLock } from "./lock/read-lock.ts";
import { type AuditWriter, auditWriter } from "./place/audit-writer.ts";
import type { Drift } from "./place/find-drift.ts";
import { recover } from "./place/recover.ts";
import { compareEdits, type FileDifference } from "./place/three-way.ts";
import { TreeStore } from "./place/tree-store.ts";
import { verifyEntry } from "./place/verify-entry.ts";
import { fetchingFor } from "./plan/check-signatures.ts";
import { linkDrift } from "./plan/create-entry.ts";
import { type HistoryEntry, historyOf } from "./plan/history.ts";
import { HeldNames, type HubParts, PastDecisions } from "./plan/hub-parts.ts";
import { type Standing, standingOf } from "./plan/outdated.ts";
import type { Plan, PlanItem } from "./plan/plan.ts";
import { type InstallRequest, planInstall } from "./plan/plan-install.ts";
import { checkInside } from "./plan/plan-reading.ts";
import { planRestore, type RestoreRequest } from "./plan/plan-restore.ts";
import { planRollback } from "./plan/plan-rollback.ts";
import { planTools, skillsWithTools } from "./plan/plan-tools.ts";
import {
  asInstalled,
  chosenEntries,
  planUpdate,
  readNewest,
  type UpdateRequest,
} from "./plan/plan-update.ts";
import { installedCandidates } from "./plan/read-placed.ts";
import type { ToolPlan, ToolResult } from "./plan/read-tool-spec.ts";
import { runToolPlan } from "./plan/run-tool-plan.ts";
import { outsideFolders } from "./target/agents.ts";

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

/** The same with the scanner injected, so that bundlers can leave `@skillet/scan` out. */
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
  readonly #held: HeldNames;

  constructor(options: ScanningOptions) {
    this.#options = options;
    this.lockFile = scopeLock(options.scope);
    this.root = scopeRoot(options.scope);
    this.#store = new TreeStore(join(options.home, "store"));
    this.#outside = outsideFolders(options);
    this.#held = new HeldNames(options.holders ?? new Map());
    this.#audit = auditWriter({ file: auditPath(options.home), clock: options.clock, actor: auditActor() });
  }

  async recover(): Promise<void> {
    const { lockFile, root } = this;
    const { signal } = this.#options;
    const options = { lockFile, root, outside: this.#outside, store: this.#store, audit: this.#audit };
    await recover({ ...options, ...(signal && { signal }) });
  }

  async list(): Promise<Lock> {
    const parts = await this.#parts();
    const skills = new Map<string, LockEntry>();
    for (const [name, entry] of parts.lock.skills) {
      const allowed = await allowedOf(parts, name, entry);
      skills.set(name, allowed === undefined ? entry : { ...entry, allowed });
    }
    return { ...parts.lock, skills };
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
          checkSource: () => checkInside(parts, name, entry),
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
  ): Promise<Allowance> {
    return allowPlugin(await this.#parts(), name, allowed);
  }

  async history(name: string): Promise<readonly HistoryEntry[]> {
    return historyOf(await this.#parts(), name);
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
      held: this.#held,
      decisions: new PastDecisions(home),
      untrustedAround: this.#options.untrustedAround ?? (() => undefined),
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
