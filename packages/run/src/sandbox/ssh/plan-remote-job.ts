import { randomInt } from "node:crypto";
import { SkilletError } from "@skillet/kit/errors";
import { FIRST_UNUSED_UID, giveUpRights, LAST_UNUSED_UID } from "../bubblewrap/choose-identity.ts";
import { sandboxEnvironment } from "../bubblewrap/sandbox-environment.ts";
import { sealDevices } from "../bubblewrap/sandbox-host.ts";
import { folderRefusal, homeRefusal } from "../folder-refusal.ts";
import { prlimitArguments } from "../limit-group.ts";
import { type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import { seccompProgram } from "../seccomp-program.ts";
import { unavailable } from "./connection-failure.ts";
import {
  guardedPaths,
  type LentWorkspace,
  type RemoteJob,
  remoteSandboxOptions,
  sandboxCwd,
  stageName,
} from "./job-program.ts";
import { type RemoteFacts, remoteArchitecture } from "./remote-facts.ts";
import type { RemoteTree } from "./remote-tree.ts";
import type { SshOptions } from "./ssh-options.ts";

/** How a job is run on the remote machine, and how the script will see that. */
export interface RemotePlan {
  readonly remote: Pick<
    RemoteJob,
    | "filter"
    | "sandboxOptions"
    | "guarded"
    | "workspace"
    | "drop"
    | "bare"
    | "launcher"
    | "argv"
    | "directory"
  >;
  readonly cwd: string;
}

export interface PlanRequest {
  readonly options: SshOptions;
  readonly job: SandboxJob;
  readonly facts: RemoteFacts;
  readonly tree: RemoteTree;
}

/** Plans one run from what the survey found. */
export function planRemoteJob(request: PlanRequest): RemotePlan {
  checkWords(request.job);
  return request.options.isolation === "none" ? planBare(request) : planContained(request);
}

/** The user that root becomes for scripts, where what they are lent can be used by anybody. */
export function canDrop(facts: RemoteFacts): facts is RemoteFacts & { readonly place: string } {
  const isUsable = facts.workspace === undefined || facts.workspace.open;
  return facts.uid === 0 && facts.tools.has("setpriv") && facts.place !== undefined && isUsable;
}

function planContained({ options, job, facts, tree }: PlanRequest): RemotePlan {
  const filter = seccompProgram(remoteArchitecture(facts));
  const bwrap = facts.tools.get("bwrap") ?? "bwrap";
  const source = `${facts.directory}/${stageName(tree.digest)}/tree`;
  const lent = lentWorkspace(options, facts);
  const drop = canDrop(facts)
    ? {
        place: facts.place,
        setpriv: facts.tools.get("setpriv") ?? "setpriv",
        uid: randomInt(FIRST_UNUSED_UID, LAST_UNUSED_UID + 1),
      }
    : undefined;
  const workspace = lent && (drop === undefined ? lent : { ...lent, source: `${drop.place}/workspace` });
  const argv = [job.interpreter.path, ...job.flags, `${SKILL_PLACE}/${job.script}`, ...job.args];
  return {
    remote: {
      filter: filter ?? new Uint8Array(0),
      sandboxOptions: remoteSandboxOptions({
        job,
        facts,
        tree: drop === undefined ? source : `${drop.place}/skill`,
        workspace,
        hasFilter: filter !== undefined,
      }),
      guarded: guardedPaths(job, { facts, workspace }),
      workspace,
      drop,
      directory: facts.directory,
      argv,
      launcher: [
        ...(drop === undefined ? sealingFor(options, facts) : dropPrefix({ facts, drop, source, lent })),
        ...[bwrap, "--args", "5", "--"],
        // Limits inside the user namespace: there the kernel counts only this run's processes.
        ...[facts.tools.get("prlimit") ?? "prlimit", ...prlimitArguments(job.limits)],
      ],
    },
    cwd: sandboxCwd(job, workspace),
  };
}

function sealingFor({ destination }: SshOptions, { uid, tools }: RemoteFacts): string[] {
  if (uid !== 0) return [];
  const [unshare, mount] = [tools.get("unshare"), tools.get("mount")];
  if (unshare !== undefined && mount !== undefined) return sealDevices({ unshare, mount }, "root");
  throw unavailable(destination, {
    reason:
      "only root can use the remote workspace, and the devices of that machine could not be kept from the script without unshare and mount; log in as somebody else",
  });
}

/**
 * Another bubblewrap, run by root: it mounts what is given where an unprivileged user reaches it, and gives up all
 * rights; what it starts ends with it.
 */
function dropPrefix(request: {
  readonly facts: RemoteFacts;
  readonly drop: { readonly place: string; readonly setpriv: string; readonly uid: number };
  readonly source: string;
  readonly lent: LentWorkspace | undefined;
}): string[] {
  const { facts, drop, source, lent } = request;
  const place = lent && [lent.writable ? "--bind" : "--ro-bind", lent.path, `${drop.place}/workspace`];
  return [
    ...[facts.tools.get("bwrap") ?? "bwrap", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/"],
    ...["--tmpfs", drop.place, "--ro-bind", source, `${drop.place}/skill`, ...(place ?? [])],
    ...giveUpRights(drop.setpriv, { uid: drop.uid, gid: drop.uid }),
  ];
}

function planBare({ options, job, facts, tree }: PlanRequest): RemotePlan {
  const directory = `${facts.directory}/${stageName(tree.digest)}/tree`;
  const argv = [job.interpreter.path, ...job.flags, `${directory}/${job.script}`, ...job.args];
  const cwd = job.cwd === "skill" ? directory : lentWorkspace(options, facts)?.path;
  const variables = new Map(sandboxEnvironment(job));
  // The run's own folder is known over there alone.
  for (const name of ["HOME", "TMPDIR"]) variables.delete(name);
  variables.set("SKILL_DIR", directory).set("PYTHONDONTWRITEBYTECODE", "1");
  // Not the number of processes: the system counts all of the user's, not only the script's.
  const limits = prlimitArguments(job.limits).filter((argument) => !argument.startsWith("--nproc="));
  return {
    remote: {
      filter: new Uint8Array(0),
      sandboxOptions: [],
      guarded: { pinned: [], readOnly: [], hidden: [], homes: [] },
      workspace: undefined,
      drop: undefined,
      bare: { variables: Object.fromEntries(variables), cwd },
      directory: facts.directory,
      argv,
      launcher: [facts.tools.get("setsid") ?? "setsid", facts.tools.get("prlimit") ?? "prlimit", ...limits],
    },
    cwd: cwd ?? "an empty private folder",
  };
}

function lentWorkspace(options: SshOptions, { workspace, home }: RemoteFacts): LentWorkspace | undefined {
  if (workspace === undefined) return undefined;
  const mayWrite = options.writableWorkspace === true && options.isolation !== "none";
  const reason =
    folderRefusal(workspace.path) ?? (mayWrite ? homeRefusal(workspace.path, [home]) : undefined);
  if (reason !== undefined)
    throw new SkilletError(
      "sandbox-folder-refused",
      `A script cannot be given the remote ${workspace.path}: ${reason}.`,
      {
        data: { folder: workspace.path },
      },
    );
  return { path: workspace.path, source: workspace.path, writable: options.writableWorkspace === true };
}

// A zero byte would end one of bubblewrap's options and begin another.
function checkWords(job: SandboxJob): void {
  const words = [...job.args, ...job.flags, job.script, ...Object.values(job.environment)];
  if (words.some((word) => word.includes("\0")))
    throw new SkilletError(
      "sandbox-argument-invalid",
      "An argument or a variable for the script has a zero byte in it; nothing was run. Pass it without.",
    );
}
