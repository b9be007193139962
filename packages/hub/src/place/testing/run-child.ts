import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ChildTask } from "./commit-child.ts";

/** How a child ended, and the lines that it printed. */
export interface ChildEnd {
  readonly lines: readonly string[];
  readonly signal: NodeJS.Signals | null;
  readonly exitCode: number | null;
}

/** Runs a task in its own process; `killAfter` kills it, like a crash, once it has printed that many lines. */
export async function runChild(
  program: string,
  task: ChildTask,
  options: { readonly killAfter?: number } = {},
): Promise<ChildEnd> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const count = output.split("\n").length - 1;
    if (options.killAfter !== undefined && count >= options.killAfter) child.kill("SIGKILL");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [exitCode, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (errors !== "") throw new Error(errors);
  return { lines: output.split("\n").filter((line) => line !== ""), signal, exitCode };
}
