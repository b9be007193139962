import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Contestant, interleave } from "./interleave.ts";

/** What is started; the first is what all others are compared with. */
export type StartupName = "node" | "version" | "show-first" | "show-again";

/** How often each command is started. */
const ROUNDS = 15;

/** A command that takes longer is stuck. */
const TIMEOUT_MS = 60_000;

/** Times whole processes: `node -e 0` against `skillet --version` and `skillet show` on a small library. */
export async function measureStartup(options: {
  readonly command: string;
  readonly library: string;
  readonly workDirectory: string;
}): Promise<ReadonlyMap<StartupName, readonly number[]>> {
  if (!existsSync(options.command))
    throw new Error(`${options.command} does not exist; build the packages first.`);
  const home = join(options.workDirectory, "home");
  const usedHome = join(options.workDirectory, "used-home");
  const emptyHome = (): void => {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
  };
  const show = [options.command, "show", "--skills-root", options.library];
  mkdirSync(usedHome, { recursive: true });
  start(show, usedHome);

  const contestants: readonly Contestant<StartupName>[] = [
    { name: "node", prepare: emptyHome, run: () => start(["-e", "0"], home) },
    { name: "version", prepare: emptyHome, run: () => start([options.command, "--version"], home) },
    { name: "show-first", prepare: emptyHome, run: () => start(show, home) },
    { name: "show-again", run: () => start(show, usedHome) },
  ];
  return interleave(contestants, { rounds: ROUNDS });
}

function start(args: readonly string[], home: string): void {
  const result = spawnSync(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, SKILLET_HOME: join(home, ".skillet") },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: TIMEOUT_MS,
  });
  if (result.status === 0) return;
  const reason = result.error?.message ?? result.stderr.toString().trim();
  throw new Error(`node ${args.join(" ")} failed: ${reason || `exit ${result.status ?? result.signal}`}`);
}
