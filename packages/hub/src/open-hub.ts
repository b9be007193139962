import { join } from "node:path";
import { appendAudit } from "@skillet/core";
import { auditActor, auditPath, DEFAULT_TRUSTED_SOURCES } from "@skillet/core/internal";
import { scanSkill } from "@skillet/scan";
import { allowedOf, allowedPlugins, allowPlugin, noteEntry } from "./apply/allow-plugin.ts";
import { applyPlan, refuseOccupied } from "./apply/apply-plan.ts";
import { findUnneeded, planUninstall, removeLeftovers, uninstall } from "./apply/clean-home.ts";
import { removeSkills } from "./apply/remove-skills.ts";
import type { Hub, Verification } from "./hub.ts";
import { DEFAULT_HUB_LIMITS, scopeLock, scopeRoot } from "./hub-limits.ts";
import type { HubOptions } from "./hub-options.ts";
import { planAdopt } from "./interop/plan-adopt.ts";
import type { LockEntry } from "./lock/lock-entry.ts";
import { readLock } from "./lock/read-lock.ts";
import { auditWriter, recover } from "./place/recover.ts";
import { compareEdits, threeWay } from "./place/three-way.ts";
import { TreeStore } from "./place/tree-store.ts";
import { verifyEntry } from "./place/verify-entry.ts";
import { historyOf } from "./plan/history.ts";
import { chosenEntries, type HubParts, heldNames, pastDecisions } from "./plan/hub-parts.ts";
import { linkDrift } from "./plan/lock-source.ts";
import { planInstall } from "./plan/plan-install.ts";
import { planRestore, planRollback } from "./plan/plan-restore.ts";
import { planTools, skillsWithTools } from "./plan/plan-tools.ts";
import { planUpdate, standingOf, withoutRefused } from "./plan/plan-update.ts";
import { installedItems } from "./plan/read-installed.ts";
import { runToolPlan } from "./plan/run-tool-plan.ts";
import type { Plan } from "./plan-item.ts";
import { applySwitch } from "./switch/apply-switch.ts";
import { outsideFolders } from "./target/targets.ts";

/**
 * Opens the hub of a user or a project; a change that was interrupted is completed or undone first.
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

/** The same with the scanner injected, so that bundlers can leave `@skillet/scan` out. */
export async function openHubWith(options: ScanningOptions): Promise<Hub> {
  const fixed = fixedParts(options);
  const { lockFile, root, store } = fixed;
  await recover(fixed);
  // Every call sees the lock, and this machine's decisions, as they are by then.
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
    held: heldNames(options.holders ?? new Map()),
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
