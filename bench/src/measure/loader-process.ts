import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Cost } from "./cost.ts";

/** What one discovery of the whole library found and cost. */
export interface Turn extends Cost {
  readonly found: number;
  /** The most memory that the process ever had. */
  readonly peakBytes: number;
}

/** How long one turn may take. */
const TIMEOUT_MS = 300_000;

/**
 * A process with one loader in it, which discovers the library each time it is told to.
 *
 * A process each, because loaders that share one also share its garbage and its optimised code.
 */
export class LoaderProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.#child = fork(fileURLToPath(new URL("../loader-child.js", import.meta.url)), args, {
      env,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let errorText = "";
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      errorText = (errorText + chunk).slice(-4000);
    });
    this.#ended = once(this.#child, "close").then(([code, signal]) => {
      throw new Error(`${lastErrorLine(errorText)} (${signal ?? `exit ${code}`})`);
    });
    // Ending is a failure only while a turn is waited for.
    this.#ended.catch(() => undefined);
  }

  /** Discovers once; throws an error with the last words of a process that ended instead. */
  async turn(): Promise<Turn> {
    const timer = setTimeout(() => this.stop(), TIMEOUT_MS);
    try {
      const answered = once(this.#child, "message");
      if (this.#child.connected) this.#child.send("discover");
      const [turn] = await Promise.race([answered, this.#ended]);
      return turn;
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}

function lastErrorLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.findLast((line) => /error/i.test(line))?.trim() ?? lines.at(-1)?.trim() ?? "no message";
}
