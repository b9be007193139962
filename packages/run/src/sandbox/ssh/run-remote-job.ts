import type { SkilletError } from "@skillet/kit/errors";
import { type CapturedOutput, OutputCapture, type ProcessResult } from "@skillet/kit/process";
import {
  connectionFailure,
  connectionLost,
  plainText,
  remoteFailure,
  unavailable,
} from "./connection-failure.ts";
import { jobProgram, jobValues, type RemoteJob } from "./job-program.ts";
import { openTalk, padded, type Talk, type TalkEnd } from "./open-talk.ts";

/** How it went, and what had to be sent for it. */
export interface RemoteJobEnd {
  readonly result: ProcessResult;
  /** `replaced`: there was a copy under this digest, and it was not what it must be. `none`: it did not come to that. */
  readonly staged: "none" | "reused" | "sent" | "replaced";
}

/**
 * Runs a command on the remote machine, over one connection.
 *
 * Nothing runs before `go` was sent, so whatever goes wrong until then is `sandbox-unavailable`. After it only the end
 * that the remote program marks says how the script ended; without it `sandbox-connection-lost` is thrown.
 */
export async function runRemoteJob(job: RemoteJob): Promise<RemoteJobEnd> {
  if (job.signal?.aborted)
    return { result: { ending: "cancelled", ...NOTHING, durationMs: 0 }, staged: "none" };
  return await new RemoteRun(job).run();
}

const MAX_SEEN_BYTES = 64 * 1024 * 1024;
const STAGING_MS = 180_000;
// How much later than the remote machine this one acts on a deadline: so long may the news of an end take.
const LATENCY_MS = 2_000;
// How long a remote tree may take to end when it is told to.
const GRACE_MS = 5_000;

const EMPTY: CapturedOutput = { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 };
const NOTHING = { stdout: EMPTY, stderr: EMPTY, collected: new Map<number, Uint8Array>() };

class RemoteRun {
  readonly #job: RemoteJob;
  readonly #talk: Talk;
  readonly #captured: { readonly stdout: OutputCapture; readonly stderr: OutputCapture };
  readonly #seenBytes = { stdout: 0, stderr: 0 };
  readonly #timers = new Set<NodeJS.Timeout>();
  #wentAhead = false;
  #tookTooLong = false;
  #stopping: "cancelled" | "deadline" | "output-limit" | undefined;

  constructor(job: RemoteJob) {
    this.#job = job;
    this.#captured = {
      stdout: new OutputCapture(job.outputBytes),
      stderr: new OutputCapture(job.outputBytes),
    };
    this.#talk = openTalk({
      options: job.options,
      environment: job.environment,
      deadlineMs: STAGING_MS + job.timeoutMs + LATENCY_MS + 2 * GRACE_MS,
      values: jobValues(job),
      program: jobProgram(job),
      onOutput: (stream, bytes) => this.#take(stream, bytes),
    });
  }

  async run(): Promise<RemoteJobEnd> {
    const cancel = (): void => this.#stop("cancelled");
    this.#job.signal?.addEventListener("abort", cancel, { once: true });
    const staging = this.#after(STAGING_MS, () => {
      this.#tookTooLong = true;
      this.#talk.cut();
    });
    try {
      const staged = await this.#stage();
      if (staged === "none") return { result: { ending: "cancelled", ...NOTHING, durationMs: 0 }, staged };
      await this.#expect("start");
      const startedMs = performance.now();
      clearTimeout(staging);
      this.#after(this.#job.timeoutMs + LATENCY_MS, () => this.#stop("deadline"));
      const end = readEnd(await this.#expect("end"));
      const durationMs = Math.round(performance.now() - startedMs);
      this.#after(GRACE_MS, () => this.#talk.cut());
      const { whole } = await this.#talk.closed;
      if (!whole || end.left) throw this.#lost(end.left ? "left" : "cut");
      return { result: { ...this.#judge(end), ...this.#output(), durationMs }, staged };
    } finally {
      this.#job.signal?.removeEventListener("abort", cancel);
      for (const timer of this.#timers) clearTimeout(timer);
      this.#talk.cut();
      // Its failure, if it has one, was met by whoever waited for a message.
      await Promise.allSettled([this.#talk.closed]);
    }
  }

  async #stage(): Promise<RemoteJobEnd["staged"]> {
    const { tree, filter, stdin } = this.#job;
    for (const bytes of [tree.manifest, filter, stdin]) await this.#talk.send(padded(bytes));
    const answer = await this.#expectAny();
    if (answer === undefined || this.#stopping !== undefined) return "none";
    if (answer !== "have") {
      await this.#talk.send("tree\n");
      for await (const bytes of tree.archive()) {
        if (this.#stopping !== undefined) return "none";
        await this.#talk.send(bytes);
      }
    }
    this.#wentAhead = true;
    await this.#talk.send("go\n");
    return answer === "have" ? "reused" : answer === "changed" ? "replaced" : "sent";
  }

  async #expect(word: "start" | "end"): Promise<string> {
    const message = await this.#expectAny();
    if (message?.split(" ", 1)[0] !== word) throw this.#lost("cut");
    return message;
  }

  /** Nothing only when the caller cancelled before anything ran. */
  async #expectAny(): Promise<string | undefined> {
    const message = await this.#talk.next();
    const { destination } = this.#job.options;
    if (message?.startsWith("fail "))
      throw unavailable(destination, remoteFailure(message.slice("fail ".length)));
    if (message !== undefined) return message;
    const end = await this.#talk.closed;
    if (this.#wentAhead) throw this.#lost("cut", end);
    if (this.#stopping === "cancelled") return undefined;
    if (this.#tookTooLong)
      throw unavailable(destination, { reason: `it was not ready after ${STAGING_MS / 1000} seconds` });
    throw unavailable(destination, connectionFailure(destination, end));
  }

  #stop(reason: "cancelled" | "deadline" | "output-limit"): void {
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
    const room = MAX_SEEN_BYTES - this.#seenBytes[stream];
    const taken = bytes.subarray(0, room);
    this.#seenBytes[stream] += taken.length;
    if (taken.length > 0) {
      this.#captured[stream].add(taken);
      this.#job.onOutput?.(stream, taken);
    }
    if (taken.length < bytes.length) this.#stop("output-limit");
  }

  #judge(end: RemoteEnd): Pick<ProcessResult, "ending" | "exitCode" | "signal"> {
    const ending = ENDINGS.find((known) => known === end.reason);
    if (ending !== undefined) return { ending, signal: "SIGKILL" };
    if (end.reason !== "exit") throw this.#lost("cut");
    if (end.ran) return { ending: "exit", exitCode: end.code };
    // Bubblewrap's own troubles end with 1, a program that cannot be started with 126 or 127.
    if (end.code >= 128) throw this.#lost("killed");
    const said = plainText(Buffer.from(this.#captured.stderr.finish().head).toString());
    throw unavailable(this.#job.options.destination, { reason: `the script could not be started: ${said}` });
  }

  #output(): Pick<ProcessResult, "stdout" | "stderr" | "collected"> {
    return {
      stdout: this.#captured.stdout.finish(),
      stderr: this.#captured.stderr.finish(),
      collected: new Map(),
    };
  }

  #lost(how: "cut" | "killed" | "left", end?: TalkEnd): SkilletError {
    return connectionLost({
      destination: this.#job.options.destination,
      how,
      remarks: end?.remarks ?? "",
      ...(this.#stopping === undefined ? {} : { stopping: this.#stopping }),
      seenBytes: { ...this.#seenBytes },
    });
  }

  #after(delayMs: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(action, delayMs);
    this.#timers.add(timer);
    return timer;
  }
}

const ENDINGS = ["cancelled", "deadline", "output-limit"] as const;

interface RemoteEnd {
  readonly code: number;
  readonly reason: string;
  /** Whether the script itself was started. */
  readonly ran: boolean;
  /** Whether something of its tree could not be ended. */
  readonly left: boolean;
}

function readEnd(message: string): RemoteEnd {
  const [, code = "", reason = "", ran, left] = message.split(" ");
  return { code: Number.parseInt(code, 10), reason, ran: ran === "1", left: left !== "0" };
}
