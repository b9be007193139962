import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What came back from a child: its messages in order, and why it ended early, if it did. */
export interface ChildResult<Message> {
  readonly messages: readonly Message[];
  readonly failure?: string;
}

/** Runs one of the bench's own modules in a process of its own and collects what it sends. */
export function runChild<Message>(
  module: URL,
  options: { readonly args: readonly string[]; readonly timeoutMs: number; readonly env?: NodeJS.ProcessEnv },
): Promise<ChildResult<Message>> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(module), options.args, {
      env: options.env ?? process.env,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const messages: Message[] = [];
    let errorText = "";
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, options.timeoutMs);

    child.on("message", (message) => messages.push(message as Message));
    child.stderr?.on("data", (chunk: Buffer) => {
      errorText = (errorText + chunk).slice(-4000);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve({ messages });
      else if (timedOut) resolve({ messages, failure: `ended after ${options.timeoutMs / 1000} s` });
      else resolve({ messages, failure: `${lastErrorLine(errorText)} (${signal ?? `exit ${code}`})` });
    });
  });
}

function lastErrorLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.findLast((line) => /error/i.test(line))?.trim() ?? lines.at(-1)?.trim() ?? "no message";
}
