import type { Duplex } from "node:stream";
import type { SandboxReport } from "@skillet/core";
import { type ProcessDescriptor, runProcess } from "@skillet/kit/process";
import { bridgeArguments } from "../../network/bridge-arguments.ts";
import { type NetworkService, serveNetwork } from "../../network/serve-network.ts";
import type { RunLimits } from "../../run-limits.ts";
import { createLimitGroup, type LimitGroup } from "../limits/limit-group.ts";
import type { SandboxJob, SandboxOutcome } from "../sandbox.ts";
import { EMPTY_WORKSPACE_PLACE, SKILL_PLACE } from "../sandbox-places.ts";
import { ACCOUNT_FILES } from "./account-files.ts";
import { bubblewrapArguments } from "./bubblewrap-arguments.ts";
import { encodeArguments } from "./encode-arguments.ts";
import { endedByLimit } from "./ended-by-limit.ts";
import { findBridge } from "./find-bridge.ts";
import { FolderClaims } from "./folder-claims.ts";
import { GUARD_DESCRIPTOR, guardedCommand, READY, READY_DESCRIPTOR } from "./guarded-command.ts";
import { createdPaths, obeyedPathsNow } from "./obeyed-paths-now.ts";
import { type Launch, planLaunch } from "./plan-launch.ts";
import { planMounts } from "./plan-mounts.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import type { SandboxHost } from "./sandbox-host.ts";
import { sandboxReport } from "./sandbox-report.ts";
import { setUpError } from "./set-up-error.ts";
import { takeUnusedUser } from "./unused-user.ts";

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
