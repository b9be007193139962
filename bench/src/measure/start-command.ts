import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Cost } from "./cost.ts";

/** How a program of Node is started. */
export interface CommandStart {
  /** The program and its arguments, as for `node`. */
  readonly args: readonly string[];
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The lists that peers print are long. */
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** A command that takes longer is stuck. */
const TIMEOUT_MS = 90_000;

/** Writes its own processor time to file descriptor 3 when it ends: nothing tells a parent what a child of its took. */
const REPORTER = fileURLToPath(new URL("../../report-cpu.cjs", import.meta.url));

/** Runs a program of Node to its end: what it cost, how it ended and what it printed. */
export function startCommand({ args, directory, env }: CommandStart): Cost & {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
} {
  const start = process.hrtime.bigint();
  const result = spawnSync(process.execPath, ["--require", REPORTER, ...args], {
    cwd: directory,
    env,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    encoding: "utf8",
  });
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
  if (result.error !== undefined) throw result.error;
  const { status, stdout, stderr } = result;
  return { cpuMs: Number(result.output[3]), wallMs, status, output: stdout, errors: stderr };
}
