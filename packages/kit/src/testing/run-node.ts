import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";

/** Starts a Node process that runs a module text; arguments arrive from `process.argv[1]` on. */
export function startNode(moduleText: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ["--input-type=module", "--eval", moduleText, "--", ...args], {
    stdio: "pipe",
  });
}

/** Runs a module text in its own process to the end; on failure throws with its error output. */
export async function runNode(moduleText: string, args: readonly string[]): Promise<string> {
  const child = startNode(moduleText, args);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [exitCode] = await once(child, "close");
  if (exitCode !== 0) throw new Error(`the process ended with ${exitCode}: ${stderr}`);
  return stdout;
}

export async function waitForOutput(child: ChildProcessWithoutNullStreams, word: string): Promise<void> {
  let seen = "";
  for await (const chunk of child.stdout) {
    seen += String(chunk);
    if (seen.includes(word)) return;
  }
  throw new Error(`the process ended without printing ${word}`);
}

/** Kills a process as a crash would, and waits until it is reaped. */
export async function killHard(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
