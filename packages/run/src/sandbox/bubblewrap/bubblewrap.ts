import { lstat, readlink } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { SandboxReport } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { onceUntilSuccess } from "@skillet/kit/once-until-success";
import { type ProcessDescriptor, type ProcessResult, runProcess } from "@skillet/kit/process";
import { bridgeArguments } from "../../network/bridge-arguments.ts";
import { type NetworkService, serveNetwork } from "../../network/serve-network.ts";
import type { RunLimits } from "../../run-limits.ts";
import { findLocalInterpreter, findOwnNode } from "../../runtime/find-local-interpreter.ts";
import type { Interpreter } from "../../runtime/interpreter.ts";
import { OBEYED_PATHS } from "../folder-refusal.ts";
import { createLimitGroup, type LimitGroup } from "../limit-group.ts";
import { nodeVersion } from "../node-version.ts";
import { probeSandbox } from "../probe-sandbox.ts";
import {
  EMPTY_WORKSPACE_PLACE,
  type Sandbox,
  type SandboxJob,
  type SandboxOutcome,
  SKILL_PLACE,
} from "../sandbox.ts";
import { bubblewrapArguments, encodeArguments } from "./bubblewrap-arguments.ts";
import { ACCOUNT_FILES, takeUnusedUser } from "./choose-identity.ts";
import { FolderClaims } from "./folder-claims.ts";
import { GUARD_DESCRIPTOR, guardedCommand, READY, READY_DESCRIPTOR } from "./guarded-command.ts";
import { type Launch, planLaunch, sandboxReport } from "./plan-launch.ts";
import { planMounts } from "./plan-mounts.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import { inspectHost, type SandboxHost, setUpError } from "./sandbox-host.ts";

/** How to find bubblewrap. */
export interface BubblewrapOptions {
  /** An absolute path; default: `bwrap` in the system's folders. */
  readonly program?: string;
}

/**
 * The sandbox of Linux: namespaces, an allowlist of what is mounted, a filter of system calls and limits.
 *
 * @example
 * const runner = createRunner({ sandbox: bubblewrap(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  // Tried again after a failure: it may be installed while this process runs.
  const host = onceUntilSuccess((): Promise<SandboxHost> => inspectHost(options.program));
  const sandbox: Sandbox = {
    name: "bubblewrap",
    probe: async (distrusted) =>
      process.platform === "linux"
        ? probeSandbox(sandbox, distrusted)
        : { ok: false, reason: "bubblewrap is the sandbox of Linux" },
    findInterpreter: async (name, distrusted) => findLocalInterpreter(name, distrusted),
    nodeVersion: (node) => nodeVersion(sandbox, node),
    run: async (job) => runJob(await host(), job),
  };
  return sandbox;
}

const ARGUMENTS_DESCRIPTOR = GUARD_DESCRIPTOR + 1;
// The bridge is a Node with threads of its own.
const BRIDGE_PROCESSES = 16;
// Older kernels count all that the user runs, a desktop with all its threads too.
const OTHER_PROCESSES_OF_A_USER = 8192;

// Of the whole process, whichever runner it is.
const claims = new FolderClaims();

/**
 * Runs one job in bubblewrap, when no other one writes where it is given something; throws `sandbox-unavailable` when
 * it could not be set up, and then nothing ran.
 */
export async function runJob(host: SandboxHost, job: SandboxJob): Promise<SandboxOutcome> {
  const given = [...job.writable, ...(job.workspace === undefined ? [] : [job.workspace])];
  const giveUp = await claims.take({ given, writable: job.writable }, job.signal);
  try {
    return await runAlone(host, job, given);
  } finally {
    giveUp();
  }
}

async function runAlone(
  host: SandboxHost,
  job: SandboxJob,
  given: readonly string[],
): Promise<SandboxOutcome> {
  const bridge = job.network.length === 0 ? undefined : findBridge(given);
  const programs = [job.interpreter.home, bridge?.home].filter((home) => home !== undefined);
  const { mounts, weaknesses } = await planMounts(job, [...new Set(programs)]);
  const obeyed = await obeyedPathsNow(job.writable);
  const nobody = takeUnusedUser();
  const limits = bridge === undefined ? job.limits : withProcesses(job.limits, BRIDGE_PROCESSES);
  const services: NetworkService[] = [];
  let group: LimitGroup | undefined;
  try {
    group = host.hasGroups ? await createLimitGroup(limits) : undefined;
    const launch = await planLaunch({ host, mounts, nobody, group });
    const argv = [job.interpreter.path, ...job.flags, `${SKILL_PLACE}/${job.script}`, ...job.args];
    const cwd = job.cwd === "skill" ? SKILL_PLACE : (job.workspace ?? EMPTY_WORKSPACE_PLACE);
    const connect = (channel: Duplex): void => void services.push(serveNetwork(channel, job.network));
    const plan = describe({ host, job, launch, cwd, connect });
    const command = bridge === undefined ? argv : [bridge.path, ...bridgeArguments(plan.channel), ...argv];
    const counted = host.countsProcessesByRun || launch.identity !== "caller";
    const guarded = guardedCommand({
      prlimit: host.prlimit,
      limits: counted ? limits : withProcesses(limits, OTHER_PROCESSES_OF_A_USER),
      mounts: launch.mounts,
      command,
    });
    const [program = "", ...rest] = [
      ...launch.prefix,
      host.bwrap,
      "--args",
      String(ARGUMENTS_DESCRIPTOR),
      "--",
      ...guarded.argv,
    ];
    const result = await runProcess({
      argv: [program, ...rest],
      environment: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      deadlineMs: job.limits.timeoutMs,
      maxOutputBytes: job.limits.outputBytes,
      descriptors: plan.descriptors(guarded.script),
      ...(launch.user && { user: launch.user }),
      ...(launch.identity !== "caller" && { streamsOwner: launch.identity }),
      ...(job.stdin && { stdin: job.stdin }),
      ...(job.signal && { signal: job.signal }),
      ...(job.onOutput && { onOutput: job.onOutput }),
    });
    const isReady = Buffer.from(result.collected.get(READY_DESCRIPTOR) ?? [])
      .toString()
      .startsWith(READY);
    if (!isReady && result.ending === "exit") throw await setUpError(result);
    const limit = await endedByLimit({ result, limits, group: launch.group });
    const refusals = services.flatMap((service) => service.refusals);
    const report = withWeaknesses(sandboxReport(host, launch), weaknesses);
    const created = createdPaths(obeyed, await obeyedPathsNow(job.writable));
    return { result, report, argv, cwd, refusals, created, ...(limit && { limit }) };
  } finally {
    for (const service of services) service.close();
    nobody.giveBack();
    await group?.remove();
  }
}

function withWeaknesses(report: SandboxReport, more: readonly string[]): SandboxReport {
  if (more.length === 0) return report;
  return { ...report, strength: "reduced", weaknesses: [...report.weaknesses, ...more] };
}

function withProcesses(limits: RunLimits, more: number): RunLimits {
  return { ...limits, processes: limits.processes + more };
}

/** The descriptors of a run: what sets it up reads its arguments first, and all but the channel are closed by then. */
function describe(options: {
  readonly host: SandboxHost;
  readonly job: SandboxJob;
  readonly launch: Launch;
  readonly cwd: string;
  readonly connect: (channel: Duplex) => void;
}): { readonly descriptors: (guardScript: string) => ProcessDescriptor[]; readonly channel: number } {
  const { host, job, launch, cwd, connect } = options;
  const fed: Uint8Array[] = [];
  const feed = (bytes: Uint8Array): number => fed.push(bytes) + ARGUMENTS_DESCRIPTOR;
  const filter = host.filter && feed(host.filter);
  const files = ACCOUNT_FILES.map(([, text]) => feed(Buffer.from(text)));
  const args = bubblewrapArguments({
    system: host.system,
    kernelSecrets: host.kernelSecrets,
    mounts: launch.mounts,
    environment: sandboxEnvironment(job),
    cwd,
    temporaryBytes: job.limits.temporaryBytes,
    descriptors: { ...(filter && { filter }), files },
  });
  const descriptors = (guardScript: string): ProcessDescriptor[] => [
    { kind: "collect" },
    ...[Buffer.from(guardScript), encodeArguments(args), ...fed].map((bytes) => ({
      kind: "feed" as const,
      bytes,
    })),
    ...(job.network.length === 0 ? [] : [{ kind: "channel" as const, connect }]),
  ];
  return { descriptors, channel: ARGUMENTS_DESCRIPTOR + fed.length + 1 };
}

// bubblewrap ends as a shell does: 128 and the number of the signal.
const KILLED = 128 + 9;
const CPU_USED_UP = 128 + 24;
const FILE_TOO_LARGE = 128 + 25;

/** Which limit ended a run, as far as the kernel tells. */
export async function endedByLimit(run: {
  readonly result: ProcessResult;
  readonly limits: RunLimits;
  readonly group: LimitGroup | undefined;
}): Promise<SandboxOutcome["limit"]> {
  const { result, limits, group } = run;
  if (await group?.hasRunOutOfMemory()) return "memory";
  // A script may end with these numbers by itself; then it is its own word for why, and no limit is made worse by it.
  if (result.exitCode === FILE_TOO_LARGE) return "file-size";
  // Whoever ignores the first signal is killed a second later.
  const isEnded = result.exitCode === CPU_USED_UP || result.exitCode === KILLED;
  const possibleCpuMs = result.durationMs * availableParallelism();
  return isEnded && possibleCpuMs >= limits.cpuSeconds * 1000 ? "cpu" : undefined;
}

/** The Node that carries a script's connections out of the sandbox: this one first, since a system's may be too old. */
export function findBridge(distrusted: readonly string[]): Interpreter {
  const node = findOwnNode() ?? findLocalInterpreter("node", distrusted);
  if (node !== undefined) return node;
  throw new SkilletError(
    "sandbox-unavailable",
    "A script with a network grant needs Node in the sandbox, and none was found that could be mounted there. Install Node for the whole system, or run the script without the grant.",
  );
}

/** What is obeyed at the top of writable folders: each path that is there, with where it leads if it is a link. */
export type ObeyedPaths = ReadonlyMap<string, string | undefined>;

/** Looks which names are there that others obey. */
export async function obeyedPathsNow(folders: readonly string[]): Promise<ObeyedPaths> {
  const found = new Map<string, string | undefined>();
  for (const path of folders.flatMap((folder) => OBEYED_PATHS.map((name) => join(folder, name)))) {
    try {
      const isLink = (await lstat(path)).isSymbolicLink();
      found.set(path, isLink ? await readlink(path) : undefined);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "EINVAL"].includes(String(code))) throw error;
    }
  }
  return found;
}

/** What came into being meanwhile, or is another link, or was one: a script made it, and somebody may obey it. */
export function createdPaths(before: ObeyedPaths, after: ObeyedPaths): string[] {
  return [...after]
    .filter(([path, target]) => !before.has(path) || before.get(path) !== target)
    .map(([path]) => path)
    .sort();
}
