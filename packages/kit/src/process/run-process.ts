import { once } from "node:events";
import { SkilletError } from "../errors.ts";
import { checkProgram, checkRequest } from "./check-request.ts";
import { ChildStreams } from "./child-streams.ts";
import { createMark, guardAtExit } from "./process-mark.ts";
import type { ProcessRequest, ProcessResult } from "./process-request.ts";
import { ProcessTree, type TreeMarks } from "./process-tree.ts";
import { type SpawnedChild, spawnChild, startError } from "./spawn-child.ts";

/**
 * Runs one program to its end, its deadline, the caller's signal or its output limit, and settles when nothing of its
 * tree is left. A signal that fired before gives `cancelled` without a start; a program that cannot be started throws.
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
  const mark = createMark();
  const child = tryToSpawn(request, mark);
  if (child.process.pid === undefined) throw startError(request, await startFailure(child));
  // From the start up to here nothing was awaited, so nothing the child did can have been missed.
  const outcome = await supervise(
    request,
    child,
    watchTree(child.process.pid, { environment: mark, limit: request.limitMark }),
  );
  return { ...outcome, durationMs: Math.round(performance.now() - startedMs) };
}

function tryToSpawn(request: ProcessRequest, mark: string): SpawnedChild {
  try {
    return spawnChild(request, mark);
  } catch (error) {
    throw SkilletError.isInstance(error) ? error : startError(request, error);
  }
}

// Nothing may run on because the table of processes could not be read.
function watchTree(pid: number, marks: TreeMarks): ProcessTree {
  try {
    return new ProcessTree(pid, marks);
  } catch (error) {
    endGroup(pid);
    throw error;
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
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
  const unguard = guardAtExit(tree);
  const interruption = new Interruption();
  const deadline = setTimeout(() => interruption.raise("deadline"), request.deadlineMs);
  const cancel = (): void => interruption.raise("cancelled");
  request.signal?.addEventListener("abort", cancel, { once: true });
  const streams = new ChildStreams(child, request, {
    flooded: () => interruption.raise("output-limit"),
    failed: (error) => interruption.fail(error),
  });
  try {
    await Promise.race([exited, interruption.raised]);
    clearTimeout(deadline);
    request.signal?.removeEventListener("abort", cancel);
    await endTree(tree, child);
    const exit = await exited;
    await streams.drain();
    interruption.throwFailure();
    return { ending: interruption.reason ?? "exit", ...exit, ...streams.captured() };
  } finally {
    clearTimeout(deadline);
    request.signal?.removeEventListener("abort", cancel);
    streams.destroy();
    unguard();
  }
}

async function endTree(tree: ProcessTree, { process: leader }: SpawnedChild): Promise<void> {
  try {
    await tree.end(() => leader.exitCode !== null || leader.signalCode !== null);
  } catch (error) {
    if (leader.pid !== undefined) endGroup(leader.pid);
    throw error;
  }
}

/** Why a process has to end before its time; the first reason stands. */
class Interruption {
  readonly raised: Promise<void>;
  reason: Exclude<ProcessResult["ending"], "exit"> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor() {
    this.raised = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  raise(reason: Exclude<ProcessResult["ending"], "exit">): void {
    this.reason ??= reason;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

function neverStarted(): ProcessResult {
  const nothing = { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 };
  return { ending: "cancelled", stdout: nothing, stderr: nothing, collected: new Map(), durationMs: 0 };
}
