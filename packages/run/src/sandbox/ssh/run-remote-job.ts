import type { SkilletError } from "@skillet/kit/errors";
import { type CapturedOutput, OutputCapture, type ProcessResult } from "@skillet/kit/process";
import type { SandboxJob } from "../sandbox.ts";
import {
  connectionFailure,
  connectionLost,
  plainText,
  remoteFailure,
  unavailable,
} from "./connection-failure.ts";
import { openTalk, padded, type Talk, type TalkEnd } from "./open-talk.ts";
import type { RemoteJob } from "./plan-remote-job.ts";
import type { RemoteTree } from "./remote-tree.ts";
import type { SshConnection } from "./ssh-options.ts";

interface RemoteJobRequest {
  readonly options: SshConnection;
  readonly job: SandboxJob;
  readonly tree: RemoteTree;
  readonly planned: RemoteJob;
}

const MAX_SEEN_BYTES = 64 * 1024 * 1024;
const STAGING_MS = 180_000;
// This side acts on a deadline so much later: the message that the script has ended may take that long.
const LATENCY_MS = 2_000;
// How long a remote tree may take to end when it is told to.
const GRACE_MS = 5_000;

const EMPTY: CapturedOutput = { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 };
const NEVER_STARTED: ProcessResult = {
  ending: "cancelled",
  stdout: EMPTY,
  stderr: EMPTY,
  collected: new Map(),
  durationMs: 0,
};

/**
 * Runs a command on the remote machine, over one connection.
 *
 * Nothing runs before `go` was sent, so whatever goes wrong until then is `sandbox-unavailable`. After it only the end
 * that the remote program marks says how the script ended; without it `sandbox-connection-lost` is thrown.
 */
export async function runRemoteJob(request: RemoteJobRequest): Promise<ProcessResult> {
  return request.job.signal?.aborted ? NEVER_STARTED : await new RemoteRun(request).run();
}

const STOPS = ["cancelled", "deadline", "output-limit"] as const;

class RemoteRun {
  readonly #request: RemoteJobRequest;
  readonly #destination: string;
  readonly #talk: Talk;
  readonly #captured: { readonly stdout: OutputCapture; readonly stderr: OutputCapture };
  readonly #seenBytes = { stdout: 0, stderr: 0 };
  readonly #timers = new Set<NodeJS.Timeout>();
  #wentAhead = false;
  #tookTooLong = false;
  #stopping: (typeof STOPS)[number] | undefined;

  constructor(request: RemoteJobRequest) {
    const { options, job, planned } = request;
    this.#request = request;
    this.#destination = options.destination;
    const { outputBytes, timeoutMs } = job.limits;
    this.#captured = { stdout: new OutputCapture(outputBytes), stderr: new OutputCapture(outputBytes) };
    this.#talk = openTalk({
      options,
      deadlineMs: STAGING_MS + timeoutMs + LATENCY_MS + 2 * GRACE_MS,
      values: planned.values,
      program: planned.program,
      onOutput: (stream, bytes) => this.#take(stream, bytes),
    });
  }

  async run(): Promise<ProcessResult> {
    const { signal, limits } = this.#request.job;
    const cancel = (): void => this.#stop("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    const staging = this.#after(STAGING_MS, () => {
      this.#tookTooLong = true;
      this.#talk.cut();
    });
    try {
      if (!(await this.#send())) return NEVER_STARTED;
      await this.#expect("start");
      const startedMs = performance.now();
      clearTimeout(staging);
      this.#after(limits.timeoutMs + LATENCY_MS, () => this.#stop("deadline"));
      const [, code = "", reason = "", ran, left] = (await this.#expect("end")).split(" ");
      const durationMs = Math.round(performance.now() - startedMs);
      this.#after(GRACE_MS, () => this.#talk.cut());
      const { whole } = await this.#talk.closed;
      if (!whole || left !== "0") throw this.#lost(left !== "0" ? "left" : "cut");
      const ending = this.#judge({ code: Number.parseInt(code, 10), reason, ran: ran === "1" });
      const { stdout, stderr } = this.#captured;
      const output = { stdout: stdout.finish(), stderr: stderr.finish(), collected: new Map() };
      return { ...ending, ...output, durationMs };
    } finally {
      signal?.removeEventListener("abort", cancel);
      for (const timer of this.#timers) clearTimeout(timer);
      this.#talk.cut();
      // Its failure, if any, was already reported where a message was awaited.
      await Promise.allSettled([this.#talk.closed]);
    }
  }

  /** Sends everything and lets the script start; false when the caller cancelled before that. */
  async #send(): Promise<boolean> {
    for (const bytes of this.#request.planned.inputs) await this.#talk.send(padded(bytes));
    for await (const bytes of this.#request.tree.archive()) {
      if (this.#stopping !== undefined) return false;
      await this.#talk.send(bytes);
    }
    const answer = await this.#expectAny();
    if (answer === undefined || this.#stopping !== undefined) return false;
    this.#wentAhead = true;
    await this.#talk.send("go\n");
    return true;
  }

  async #expect(word: "start" | "end"): Promise<string> {
    const message = await this.#expectAny();
    if (message?.split(" ", 1)[0] !== word) throw this.#lost("cut");
    return message;
  }

  /** Undefined only when the caller cancelled before anything ran. */
  async #expectAny(): Promise<string | undefined> {
    const message = await this.#talk.next();
    if (message?.startsWith("fail "))
      throw unavailable(this.#destination, remoteFailure(message.slice("fail ".length)));
    if (message !== undefined) return message;
    const end = await this.#talk.closed;
    if (this.#wentAhead) throw this.#lost("cut", end);
    if (this.#stopping === "cancelled") return undefined;
    if (this.#tookTooLong)
      throw unavailable(this.#destination, { reason: `it was not ready after ${STAGING_MS / 1000} seconds` });
    throw unavailable(this.#destination, connectionFailure(this.#destination, end));
  }

  #stop(reason: (typeof STOPS)[number]): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = reason;
    if (!this.#wentAhead) {
      this.#talk.cut();
      return;
    }
    // Not by cutting the connection: only the remote side can say that nothing is left of the tree.
    void this.#talk.send(`${reason}\n`);
    this.#after(GRACE_MS, () => this.#talk.cut());
  }

  #take(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    const taken = bytes.subarray(0, MAX_SEEN_BYTES - this.#seenBytes[stream]);
    this.#seenBytes[stream] += taken.length;
    if (taken.length > 0) {
      this.#captured[stream].add(taken);
      this.#request.job.onOutput?.(stream, taken);
    }
    if (taken.length < bytes.length) this.#stop("output-limit");
  }

  #judge(end: {
    readonly code: number;
    readonly reason: string;
    readonly ran: boolean;
  }): Pick<ProcessResult, "ending" | "exitCode" | "signal"> {
    const ending = STOPS.find((known) => known === end.reason);
    if (ending !== undefined) return { ending, signal: "SIGKILL" };
    if (end.reason !== "exit") throw this.#lost("cut");
    if (end.ran) return { ending: "exit", exitCode: end.code };
    // Bubblewrap's own troubles end with 1, a program that cannot be started with 126 or 127.
    if (end.code >= 128) throw this.#lost("killed");
    const said = plainText(Buffer.from(this.#captured.stderr.finish().head).toString());
    throw unavailable(this.#destination, { reason: `the script could not be started: ${said}` });
  }

  #lost(how: "cut" | "killed" | "left", end?: TalkEnd): SkilletError {
    return connectionLost({
      destination: this.#destination,
      how,
      remarks: end?.remarks ?? "",
      ...(this.#stopping !== undefined && { stopping: this.#stopping }),
      seenBytes: { ...this.#seenBytes },
    });
  }

  #after(delayMs: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(action, delayMs);
    this.#timers.add(timer);
    return timer;
  }
}
