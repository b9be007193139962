import { availableParallelism } from "node:os";
import type { ScriptOutcome } from "@skillet/core";
import { onceUntilSuccess } from "@skillet/kit/async";
import { SkilletError } from "@skillet/kit/errors";
import {
  createLimitMark,
  type ProcessDescriptor,
  type ProcessResult,
  runProcess,
} from "@skillet/kit/process";
import { bridgeArguments } from "../../network/bridge-arguments.ts";
import { describeRefusals } from "../../network/network-refusal.ts";
import { type NetworkService, serveNetwork } from "../../network/serve-network.ts";
import type { RunLimits } from "../../run-limits.ts";
import type { Interpreter } from "../../runtime/choose-runtime.ts";
import { findLocalInterpreter, findOwnNode } from "../../runtime/find-local-interpreter.ts";
import { inFolderTurn } from "../../turns.ts";
import { watchObeyedPaths } from "../folder-refusal.ts";
import { createLimitGroup, type LimitGroup } from "../limit-group.ts";
import { limitOf, localSandbox, outcomeOf, processOptions, startFolder } from "../local-sandbox.ts";
import { probeSandbox } from "../probe-sandbox.ts";
import { EMPTY_WORKSPACE_PLACE, type Sandbox, type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import {
  ACCOUNT_FILES,
  bubblewrapArguments,
  encodeArguments,
  sandboxEnvironment,
} from "./bubblewrap-arguments.ts";
import { takeUnusedUser } from "./choose-identity.ts";
import { GUARD_DESCRIPTOR, guardedCommand, READY, READY_DESCRIPTOR } from "./guarded-command.ts";
import { planLaunch, sandboxReport } from "./plan-launch.ts";
import { planMounts } from "./plan-mounts.ts";
import { inspectHost, type SandboxHost, setUpError } from "./sandbox-host.ts";

export interface BubblewrapOptions {
  /** An absolute path; default: `bwrap` in the system's folders. */
  readonly program?: string;
}

/**
 * The sandbox of Linux: namespaces, an allowlist of mounts, a filter of system calls, and limits.
 *
 * @example
 * const runner = createRunner({ sandbox: bubblewrap(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  // Retried after a failure: bubblewrap may be installed while this process runs.
  const host = onceUntilSuccess((): Promise<SandboxHost> => inspectHost(options.program));
  return localSandbox(
    "bubblewrap",
    // Waits for runs that write to folders this job is given; a job cancelled meanwhile starts no process.
    (job) => host().then((found) => inFolderTurn(job, (given) => runAlone(found, job, given))),
    async (sandbox, distrusted) =>
      process.platform === "linux"
        ? probeSandbox(sandbox, distrusted)
        : { ok: false, reason: "bubblewrap is the sandbox of Linux" },
  );
}

// The bridge is a Node process with its own threads.
const BRIDGE_PROCESSES = 16;
// Older kernels count all processes of the user, including a desktop with all its threads.
const OTHER_PROCESSES_OF_A_USER = 8192;
const ARGUMENTS_DESCRIPTOR = GUARD_DESCRIPTOR + 1;

/** Throws `sandbox-unavailable` only if nothing ran. */
async function runAlone(
  host: SandboxHost,
  job: SandboxJob,
  given: readonly string[],
): Promise<ScriptOutcome> {
  const bridge = job.network.length === 0 ? undefined : findBridge(given);
  const programs = [job.interpreter.home, bridge?.home].filter((home) => home !== undefined);
  const { mounts, weaknesses } = await planMounts(job, [...new Set(programs)]);
  const obeyed = await watchObeyedPaths(job.writable);
  const limits = bridge === undefined ? job.limits : withProcesses(job.limits, BRIDGE_PROCESSES);
  const services: NetworkService[] = [];
  const unused = takeUnusedUser();
  let group: LimitGroup | undefined;
  try {
    group = host.hasGroups ? await createLimitGroup(limits) : undefined;
    const launch = await planLaunch({ host, mounts, unused, group });
    const argv = [job.interpreter.path, ...job.flags, `${SKILL_PLACE}/${job.script}`, ...job.args];
    const cwd = startFolder(job, { skill: SKILL_PLACE, empty: EMPTY_WORKSPACE_PLACE });
    // Read during set-up; all but the channel are closed by the time the script starts.
    const fed: Uint8Array[] = [];
    const feed = (bytes: Uint8Array): number => fed.push(bytes) + ARGUMENTS_DESCRIPTOR;
    const filter = host.filter && feed(host.filter);
    const files = ACCOUNT_FILES.map(([, text]) => feed(Buffer.from(text)));
    const channel = ARGUMENTS_DESCRIPTOR + fed.length + 1;
    const counted = host.countsProcessesByRun || launch.identity !== "caller";
    // Bubblewrap exits with the script, before the kernel has ended the processes that the script left.
    const limitMark = createLimitMark();
    const guarded = guardedCommand({
      prlimit: host.prlimit,
      limitMark,
      limits: counted ? limits : withProcesses(limits, OTHER_PROCESSES_OF_A_USER),
      mounts: launch.mounts,
      command: bridge === undefined ? argv : [bridge.path, ...bridgeArguments(channel), ...argv],
    });
    const args = bubblewrapArguments({
      system: host.system,
      kernelSecrets: host.kernelSecrets,
      mounts: launch.mounts,
      environment: sandboxEnvironment(job),
      cwd,
      temporaryBytes: job.limits.temporaryBytes,
      descriptors: { ...(filter && { filter }), files },
    });
    const descriptors: ProcessDescriptor[] = [
      { kind: "collect" },
      ...[Buffer.from(guarded.script), encodeArguments(args), ...fed].map((bytes) => ({
        kind: "feed" as const,
        bytes,
      })),
    ];
    if (bridge !== undefined)
      descriptors.push({
        kind: "channel",
        connect: (opened) => void services.push(serveNetwork(opened, job.network)),
      });
    const [program = host.bwrap, ...prefix] = [...launch.prefix, host.bwrap];
    const result = await runProcess({
      argv: [program, ...prefix, "--args", String(ARGUMENTS_DESCRIPTOR), "--", ...guarded.argv],
      environment: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      descriptors,
      limitMark,
      ...(launch.user && { user: launch.user }),
      ...(launch.identity !== "caller" && { streamsOwner: launch.identity }),
      ...processOptions(job),
    });
    const said = Buffer.from(result.collected.get(READY_DESCRIPTOR) ?? []).toString();
    if (!said.startsWith(READY) && result.ending === "exit") throw await setUpError(result);
    const limit = await endedByLimit({ result, limits, group: launch.group });
    const refusals = services.flatMap((service) => service.refusals);
    return outcomeOf({ result, argv, cwd, limit }, sandboxReport(host, launch, weaknesses), [
      ...describeRefusals(refusals, job.script),
      ...(await obeyed.created(job.script)),
    ]);
  } finally {
    for (const service of services) service.close();
    unused.giveBack();
    await group?.remove();
  }
}

function withProcesses(limits: RunLimits, more: number): RunLimits {
  return { ...limits, processes: limits.processes + more };
}

// bubblewrap exits as a shell does: with 128 plus the signal number.
const KILLED = 128 + 9;

async function endedByLimit(run: {
  readonly result: ProcessResult;
  readonly limits: RunLimits;
  readonly group: LimitGroup | undefined;
}): Promise<ScriptOutcome["limit"]> {
  const { result, limits, group } = run;
  if (await group?.hasRunOutOfMemory()) return "memory";
  // A script may exit with these codes itself; that only misstates the reason, and loosens no limit.
  const limit = limitOf(result);
  if (limit === "file-size") return limit;
  // A process that ignores the first signal is killed a second later.
  const isEnded = limit === "cpu" || result.exitCode === KILLED;
  const possibleCpuMs = result.durationMs * availableParallelism();
  return isEnded && possibleCpuMs >= limits.cpuSeconds * 1000 ? "cpu" : undefined;
}

/** The Node that carries connections out of the sandbox: preferably this one, since a system's may be old. */
function findBridge(distrusted: readonly string[]): Interpreter {
  const node = findOwnNode() ?? findLocalInterpreter("node", distrusted);
  if (node !== undefined) return node;
  const message =
    "A script with a network grant needs Node in the sandbox, and none was found that could be mounted there. Install Node for the whole system, or run the script without the grant.";
  throw new SkilletError("sandbox-unavailable", message);
}
