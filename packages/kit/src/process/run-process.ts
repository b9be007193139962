import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { SkilletError } from "../errors.ts";
import { checkProgram, checkRequest } from "./check-request.ts";
import { ChildStreams } from "./child-streams.ts";
import type { ProcessRequest, ProcessResult } from "./process-request.ts";
import { guardAtExit, ProcessTree, signalProcess } from "./process-tree.ts";
import { type SpawnedChild, spawnChild, startError } from "./spawn-child.ts";

/**
 * Runs one program to its end, its deadline, the caller's signal or its output limit, and settles when
 * nothing of its tree is left. An aborted signal gives `cancelled` without a start; a failing start throws.
 *
 * @example
 * const { exitCode, stdout } = await runProcess({
 *   argv: ["/usr/bin/git", "status"], environment: { PATH: "/usr/bin" }, cwd: "/work", deadlineMs: 5_000,
 * });
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  checkRequest(request);
  if (request.signal?.aborted) return neverStarted();
  const startedMs = performance.now();
  checkProgram(request.argv[0]);
  const mark = randomBytes(16).toString("hex");
  const child = tryToSpawn(request, mark);
  if (child.process.pid === undefined) throw startError(request, await startFailure(child));
  // Nothing was awaited since the start, so nothing that the child did can have been missed.
  const tree = watchTree(child.process.pid, request, mark);
  const outcome = await supervise(request, child, tree);
  return { ...outcome, durationMs: Math.round(performance.now() - startedMs) };
}

function tryToSpawn(request: ProcessRequest, mark: string): SpawnedChild {
  try {
    return spawnChild(request, mark);
  } catch (error) {
    throw SkilletError.isInstance(error) ? error : startError(request, error);
  }
}

// No process may keep running because the process table could not be read.
function watchTree(pid: number, { limitMark }: ProcessRequest, mark: string): ProcessTree {
  try {
    return new ProcessTree(pid, { environment: mark, limit: limitMark });
  } catch (error) {
    signalProcess(-pid, "SIGKILL");
    throw error;
  }
}

async function startFailure(child: SpawnedChild): Promise<unknown> {
  for (const stream of [child.stdin, child.stdout, child.stderr, ...child.descriptors]) stream?.destroy();
  const [error] = await once(child.process, "error");
  return error;
}

async function supervise(
  request: ProcessRequest,
  child: SpawnedChild,
  tree: ProcessTree,
): Promise<Omit<ProcessResult, "durationMs">> {
  const exited = new Promise<Pick<ProcessResult, "exitCode" | "signal">>((resolve) => {
    child.process.once("exit", (exitCode, signal) =>
      resolve({ ...(exitCode === null ? {} : { exitCode }), ...(signal === null ? {} : { signal }) }),
    );
  });
  // Why the process must end early; the first reason counts.
  const interrupted: { reason?: Exclude<ProcessResult["ending"], "exit">; failure?: { error: unknown } } = {};
  let interrupt: () => void = () => undefined;
  const interruption = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  const stop = (reason: Exclude<ProcessResult["ending"], "exit">): void => {
    interrupted.reason ??= reason;
    interrupt();
  };
  const unguard = guardAtExit(tree);
  const deadline = setTimeout(() => stop("deadline"), request.deadlineMs);
  const cancel = (): void => stop("cancelled");
  request.signal?.addEventListener("abort", cancel, { once: true });
  const streams = new ChildStreams(child, request, {
    flooded: () => stop("output-limit"),
    failed: (error) => {
      interrupted.failure ??= { error };
      interrupt();
    },
  });
  const disarm = (): void => {
    clearTimeout(deadline);
    request.signal?.removeEventListener("abort", cancel);
  };
  try {
    await Promise.race([exited, interruption]);
    disarm();
    await endTree(tree, child);
    const exit = await exited;
    await streams.drain();
    if (interrupted.failure !== undefined) throw interrupted.failure.error;
    return { ending: interrupted.reason ?? "exit", ...exit, ...streams.captured() };
  } finally {
    disarm();
    streams.destroy();
    unguard();
  }
}

async function endTree(tree: ProcessTree, { process: leader }: SpawnedChild): Promise<void> {
  try {
    await tree.end(() => leader.exitCode !== null || leader.signalCode !== null);
  } catch (error) {
    if (leader.pid !== undefined) signalProcess(-leader.pid, "SIGKILL");
    throw error;
  }
}

function neverStarted(): ProcessResult {
  const nothing = { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 };
  return { ending: "cancelled", stdout: nothing, stderr: nothing, collected: new Map(), durationMs: 0 };
}
