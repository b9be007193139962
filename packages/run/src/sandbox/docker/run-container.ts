import { randomBytes } from "node:crypto";
import { SkilletError } from "@skillet/kit/errors";
import { identifyProcess } from "@skillet/kit/files";
import type { ProcessResult } from "@skillet/kit/process";
import { flag, object, wholeNumber } from "@skillet/kit/schema";
import { type Mount, refuseZeroBytes, sandboxEnvironment } from "../bubblewrap/bubblewrap-arguments.ts";
import { lookAt } from "../bubblewrap/plan-mounts.ts";
import { folderRefused } from "../folder-refusal.ts";
import { prlimitArguments } from "../limit-group.ts";
import { collectOutput, type EndedProcess, limitOf, startFolder } from "../local-sandbox.ts";
import { EMPTY_WORKSPACE_PLACE, HOME_PLACE, type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import { describeTree, stagedFiles, WIRE_BLOCK_BYTES } from "../ssh/remote-tree.ts";
import { askEngine, type Engine, readEngine, readOutput, unavailable } from "./engine.ts";

export interface ContainerPlan {
  readonly engine: Engine;
  readonly job: SandboxJob;
  readonly image: string;
  readonly mounts: readonly Mount[];
  /** Further settings that this engine needs. */
  readonly hostConfig: object;
}

/** On everything that belongs to a run, so that a later process can remove what this one could not. */
export const PROCESS_LABEL = "dev.skillet.process";
export const CONTAINER_NAME: RegExp = /^\/skillet-[0-9a-f]{24}(?:-files)?$/;

const UPLOAD_MS = 180_000;
const REMOVAL_MS = 10_000;

/**
 * Runs one job in its own container. A second container, which never starts, is used to put the skill into a
 * volume: an engine writes no files into a container with a read-only root. What cannot be removed may still
 * run, so it is reported as a weakness, or added to the message if there is an error anyway.
 */
export async function runContainer(plan: ContainerPlan): Promise<EndedProcess & { weaknesses: string[] }> {
  const name = `skillet-${randomBytes(12).toString("hex")}`;
  const clear = (): Promise<string[]> =>
    remove(plan.engine, name).then(
      () => [],
      ({ data }: SkilletError) => [
        `Its container ${name} could not be removed (${data.reason}); remove it by hand.`,
      ],
    );
  const ended = await runNamed(plan, name).catch(async (error: unknown) => {
    const [left] = await clear();
    if (left === undefined || !SkilletError.isInstance(error)) throw error;
    throw new SkilletError(error.code, `${error.message} ${left}`, { data: error.data });
  });
  return { ...ended, weaknesses: await clear() };
}

/** Also ends a running container. */
async function remove(engine: Engine, name: string): Promise<void> {
  const options = { allowed: [404], deadlineMs: REMOVAL_MS };
  for (const one of [name, `${name}-files`])
    await askEngine(engine, `DELETE /containers/${one}?force=1&v=1`, options);
}

const ENDED = object({ State: object({ ExitCode: wholeNumber(0, 255), OOMKilled: flag }) });

/** Until the engine is asked to start the script, every error is `sandbox-unavailable`: nothing ran. */
async function runNamed(plan: ContainerPlan, name: string): Promise<EndedProcess> {
  const { engine, job } = plan;
  const { signal, limits, stdin } = job;
  let stop: (reason: Exclude<ProcessResult["ending"], "exit"> | "cut") => void = () => undefined;
  const stopped = new Promise<Parameters<typeof stop>[0]>((resolve) => {
    stop = resolve;
  });
  const cancel = (): void => stop("cancelled");
  const output = collectOutput(job, () => stop("output-limit"));
  const spec = containerSpec(plan, `${name}-files`);
  const known = { argv: [...spec.Entrypoint, ...spec.Cmd], cwd: spec.WorkingDir };
  const unlessCancelled = (error: unknown): undefined => {
    if (signal?.aborted !== true) throw error;
  };
  const at = `/containers/${name}`;
  const prepare = async () => {
    await sendSkill(plan, `${name}-files`);
    signal?.throwIfAborted();
    // Not cancelled: the engine could still make the container after its removal, secrets included.
    await askEngine(engine, `POST /containers/create?name=${name}`, { json: spec });
    await refuseReplaced(plan.mounts);
    const attach = `POST ${at}/attach?stream=1&stdout=1&stderr=1${stdin === undefined ? "" : "&stdin=1"}`;
    return askEngine(engine, attach, { allowed: [101], signal });
  };
  const attached = await prepare().catch(unlessCancelled);
  if (attached === undefined) return { ...known, result: output.finish({ ending: "cancelled" }, 0) };
  const { socket, statusCode } = attached;
  if (statusCode !== 101) throw unavailable(engine, `it refused to attach to the container (${statusCode})`);
  const closed = readOutput(socket, output.take);
  closed.catch(() => "cut").then((how) => how === "cut" && stop("cut"));
  let deadline: NodeJS.Timeout | undefined;
  try {
    await askEngine(engine, `POST ${at}/start`, { signal }).catch(unlessCancelled);
    const startedMs = performance.now();
    deadline = setTimeout(() => stop("deadline"), limits.timeoutMs);
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    if (stdin !== undefined) socket.end(stdin);
    const deadlineMs = limits.timeoutMs + REMOVAL_MS;
    const ended = askEngine(engine, `POST ${at}/wait`, { deadlineMs }).then(async () => {
      await closed;
      return (await readEngine(engine, `GET ${at}/json`, ENDED)).State;
    });
    const end = await Promise.race([stopped, ended]);
    const durationMs = Math.round(performance.now() - startedMs);
    if (typeof end !== "string") {
      const result = output.finish({ ending: "exit", exitCode: end.ExitCode }, durationMs);
      return { ...known, result, limit: end.OOMKilled ? "memory" : limitOf(result) };
    }
    await remove(engine, name);
    if (end !== "cut")
      return { ...known, result: output.finish({ ending: end, signal: "SIGKILL" }, durationMs) };
    // Throws if it was `onOutput` that failed.
    await closed;
    throw unavailable(engine, "the connection for its output was cut");
  } catch (error) {
    // An engine that refused has started nothing; one that did not answer may have.
    if (!SkilletError.isInstance(error) || (deadline === undefined && error.data.status !== undefined))
      throw error;
    const message = `The engine at ${engine.socketPath} does not say how the script ended: ${error.data.reason}. It may have run in part. Look at what it was to change before you run it again.`;
    throw new SkilletError("sandbox-connection-lost", message, { data: error.data });
  } finally {
    signal?.removeEventListener("abort", cancel);
    clearTimeout(deadline);
    socket.destroy();
  }
}

async function sendSkill({ engine, image, job }: ContainerPlan, name: string): Promise<void> {
  const { blocks, archive } = await describeTree(() => stagedFiles(job.skill.directory));
  const Mounts = [{ Type: "volume", Target: SKILL_PLACE, VolumeOptions: { NoCopy: true } }];
  const HostConfig = { NetworkMode: "none", Mounts };
  // Never started, but an engine makes no container without a command, and not every image names one.
  const json = { Image: image, Labels: labelsOf(job), Entrypoint: [SKILL_PLACE], HostConfig };
  const { signal } = job;
  signal?.throwIfAborted();
  await askEngine(engine, `POST /containers/create?name=${name}`, { json });
  const upload = { archive: { bytes: blocks * WIRE_BLOCK_BYTES, chunks: archive() }, deadlineMs: UPLOAD_MS };
  await askEngine(engine, `PUT /containers/${name}/archive?path=${SKILL_PLACE}`, { ...upload, signal });
}

/** The engine mounts by path, with access to everything: a link put there since must not redirect it. */
async function refuseReplaced(mounts: readonly Mount[]): Promise<void> {
  for (const { path, stats } of mounts) {
    const now = await lookAt(path);
    if (now.kind !== "there" || now.stats.ino !== stats.ino || now.stats.dev !== stats.dev)
      throw folderRefused(path, "it was replaced while the container was set up; run it again");
  }
}

const MAX_PRIVATE_BYTES = 64 * 1024 * 1024;
const NOBODY = 65_534;

/** The request for the script's container, which gets the volumes of another one. */
function containerSpec({ job, image, mounts, hostConfig }: ContainerPlan, volumesFrom: string) {
  const { limits } = job;
  const [uid, gid] = [process.getuid?.() || NOBODY, process.getgid?.() || NOBODY];
  // The image has its own PATH.
  const { PATH: _, ...environment } = sandboxEnvironment(job);
  const command = [...job.flags, `${SKILL_PLACE}/${job.script}`, ...job.args];
  refuseZeroBytes([...command, ...Object.values(environment)]);
  const privateBytes = Math.min(limits.temporaryBytes, MAX_PRIVATE_BYTES);
  const folder = (bytes: number): string => `rw,exec,nosuid,nodev,size=${bytes},mode=1777`;
  return {
    Image: image,
    Labels: labelsOf(job),
    User: `${uid}:${gid}`,
    Entrypoint: [job.interpreter.path],
    Cmd: command,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    WorkingDir: startFolder(job, { skill: SKILL_PLACE, empty: EMPTY_WORKSPACE_PLACE }),
    OpenStdin: job.stdin !== undefined,
    StdinOnce: true,
    // Otherwise the image's own health check would run beside the script.
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      // No logs: the engine would keep all output, secrets included, on its disk.
      IpcMode: "private",
      Init: true,
      LogConfig: { Type: "none" },
      ...hostConfig,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.processes,
      Ulimits: prlimitArguments(limits).flatMap((argument) => {
        const [, Name, soft, hard] = /^--(\w+)=(\d+):(\d+)$/.exec(argument) ?? [];
        // The system would count all processes of the user.
        return Name === "nproc" ? [] : [{ Name, Soft: Number(soft), Hard: Number(hard) }];
      }),
      ShmSize: privateBytes,
      Tmpfs: {
        "/tmp": folder(limits.temporaryBytes),
        "/var/tmp": folder(limits.temporaryBytes),
        [HOME_PLACE]: folder(privateBytes),
        [EMPTY_WORKSPACE_PLACE]: folder(privateBytes),
      },
      VolumesFrom: [`${volumesFrom}:ro`],
      Mounts: mounts.map(mountSpec),
    },
  };
}

/** Always an object: a path may contain the characters that separate the parts of the text form. */
function mountSpec({ path: Target, source, access, stats }: Mount): object {
  if (access === "hidden" && stats.isDirectory())
    return { Type: "tmpfs", Target, ReadOnly: true, TmpfsOptions: { SizeBytes: 4096, Mode: 0o555 } };
  const Source = access === "hidden" ? "/dev/null" : source;
  // Older engines leave file systems that are mounted further down writable.
  const BindOptions = { Propagation: "rprivate", NonRecursive: true };
  return { Type: "bind", Source, Target, ReadOnly: access !== "writable", BindOptions };
}

function labelsOf({ skill }: SandboxJob): object {
  return { [PROCESS_LABEL]: JSON.stringify(identifyProcess()), "dev.skillet.skill": skill.digest };
}
