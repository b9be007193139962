import { spawnSync } from "node:child_process";
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

/** Node does not say what a child of its took; bash does, in milliseconds: here on file descriptor 3. */
const TIMED = 'TIMEFORMAT="%3U %3S"; { time "$@" 2>&4; } 4>&2 2>&3';

/** Runs a program of Node to its end: what it cost, how it ended and what it printed. */
export function startCommand({ args, directory, env }: CommandStart): Cost & {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
} {
  const start = process.hrtime.bigint();
  const result = spawnSync("bash", ["-c", TIMED, "bash", process.execPath, ...args], {
    cwd: directory,
    // A number is written with a comma elsewhere.
    env: { ...env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    encoding: "utf8",
  });
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
  if (result.error !== undefined) throw result.error;
  const { status, stdout, stderr } = result;
  const [user = Number.NaN, system = Number.NaN] = (result.output[3] ?? "").trim().split(" ").map(Number);
  return { cpuMs: (user + system) * 1e3, wallMs, status, output: stdout, errors: stderr };
}
