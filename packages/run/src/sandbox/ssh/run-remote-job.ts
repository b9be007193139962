import type { SkilletError } from "@skillet/kit/errors";
import type { ProcessResult } from "@skillet/kit/process";
import { collectOutput } from "../local-sandbox.ts";
import { plainText } from "../probe-sandbox.ts";
import type { SandboxJob } from "../sandbox.ts";
import { connectionFailure, connectionLost, remoteFailure, unavailable } from "./connection-failure.ts";
import { openTalk, padded } from "./open-talk.ts";
import type { RemoteJob } from "./plan-remote-job.ts";
import type { RemoteTree } from "./remote-tree.ts";
import type { SshConnection } from "./ssh-options.ts";

const STAGING_MS = 180_000;
// This side acts on a deadline this much later, since the message that the script has ended may take as long.
const LATENCY_MS = 2_000;
// How long a remote tree may take to end after it is told to.
const GRACE_MS = 5_000;

const STOPS = ["cancelled", "deadline", "output-limit"] as const;

/**
 * Nothing runs before `go` is sent, so any error until then is `sandbox-unavailable`. After that, only the
 * remote program's marked end tells how it ended; without it, `sandbox-connection-lost` is thrown.
 */
export async function runRemoteJob(
  options: SshConnection,
  job: SandboxJob,
  { tree, planned }: { readonly tree: RemoteTree; readonly planned: RemoteJob },
): Promise<ProcessResult> {
  const { signal, limits } = job;
  const { seenBytes, ...output } = collectOutput(job, () => stop("output-limit"));
  const neverStarted = (): ProcessResult => output.finish({ ending: "cancelled" }, 0);
  if (signal?.aborted) return neverStarted();
  const { destination } = options;
  const timers: NodeJS.Timeout[] = [];
  let wentAhead = false;
  let tookTooLong = false;
  let stopping: (typeof STOPS)[number] | undefined;

  const talk = openTalk({
    options,
    deadlineMs: STAGING_MS + limits.timeoutMs + LATENCY_MS + 2 * GRACE_MS,
    values: planned.values,
    program: planned.program,
    onOutput: output.take,
  });
  const after = (delayMs: number, action: () => void): void => {
    timers.push(setTimeout(action, delayMs));
  };
  const stop = (reason: (typeof STOPS)[number]): void => {
    if (stopping !== undefined) return;
    stopping = reason;
    if (!wentAhead) {
      talk.cut();
      return;
    }
    // The connection stays open: only the remote side can report that nothing is left of the tree.
    void talk.send(`${reason}\n`);
    after(GRACE_MS, talk.cut);
  };
  const lost = (how: "cut" | "killed" | "left", remarks = ""): SkilletError =>
    connectionLost({ destination, how, remarks, ...(stopping && { stopping }), seenBytes: { ...seenBytes } });

  /** The next message; undefined only if the caller cancelled before anything ran. */
  const next = async (): Promise<string | undefined> => {
    const message = await talk.next();
    if (message?.startsWith("fail "))
      throw unavailable(destination, remoteFailure(message.slice("fail ".length)));
    if (message !== undefined) return message;
    const end = await talk.closed;
    if (wentAhead) throw lost("cut", end.remarks);
    if (stopping === "cancelled") return undefined;
    throw unavailable(
      destination,
      tookTooLong
        ? { reason: `it was not ready after ${STAGING_MS / 1000} seconds` }
        : connectionFailure(destination, end),
    );
  };
  const expect = async (word: "start" | "end"): Promise<string> => {
    const message = await next();
    if (message?.split(" ", 1)[0] !== word) throw lost("cut");
    return message;
  };
  /** Sends everything and lets the script start; false if the caller cancelled before that. */
  const send = async (): Promise<boolean> => {
    for (const bytes of planned.inputs) await talk.send(padded(bytes));
    for await (const bytes of tree.archive()) {
      if (stopping !== undefined) return false;
      await talk.send(bytes);
    }
    const answer = await next();
    if (answer === undefined || stopping !== undefined) return false;
    wentAhead = true;
    await talk.send("go\n");
    return true;
  };
  const judge = (code: number, reason: string, ran: boolean): Parameters<typeof output.finish>[0] => {
    const ending = STOPS.find((known) => known === reason);
    if (ending !== undefined) return { ending, signal: "SIGKILL" };
    if (reason !== "exit") throw lost("cut");
    if (ran) return { ending: "exit", exitCode: code };
    // Bubblewrap's own failures exit with 1, a program that cannot be started with 126 or 127.
    if (code >= 128) throw lost("killed");
    const said = plainText(Buffer.from(output.finish({ ending: "exit" }, 0).stderr.head).toString());
    throw unavailable(destination, { reason: `the script could not be started: ${said}` });
  };

  const cancel = (): void => stop("cancelled");
  signal?.addEventListener("abort", cancel, { once: true });
  const staging = setTimeout(() => {
    tookTooLong = true;
    talk.cut();
  }, STAGING_MS);
  timers.push(staging);
  try {
    if (!(await send())) return neverStarted();
    await expect("start");
    const startedMs = performance.now();
    clearTimeout(staging);
    after(limits.timeoutMs + LATENCY_MS, () => stop("deadline"));
    const [, code = "", reason = "", ran, left] = (await expect("end")).split(" ");
    const durationMs = Math.round(performance.now() - startedMs);
    after(GRACE_MS, talk.cut);
    const { whole } = await talk.closed;
    if (!whole || left !== "0") throw lost(left !== "0" ? "left" : "cut");
    const ending = judge(Number.parseInt(code, 10), reason, ran === "1");
    return output.finish(ending, durationMs);
  } finally {
    signal?.removeEventListener("abort", cancel);
    for (const timer of timers) clearTimeout(timer);
    talk.cut();
    // Its failure, if any, was already reported where a message was awaited.
    await Promise.allSettled([talk.closed]);
  }
}
