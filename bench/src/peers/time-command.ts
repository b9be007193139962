import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { PeerRun } from "./peer.ts";

interface Call {
  readonly args: readonly string[];
  readonly directory: string;
}

/** The lists that peers print are long. */
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** Six calls stay below the limit of the process that makes them, so no command outlives it. */
const TIMEOUT_MS = 90_000;

/** Times a peer that only has a command; what the command takes with nothing to find is its start-up and is taken off. */
export function timeCommand(options: {
  readonly command: URL;
  readonly full: Call;
  readonly empty: Call;
  /** Its first group is the number of skills in the command's output. */
  readonly found: RegExp;
}): PeerRun {
  const startup = call(options.command, options.empty);
  const full = call(options.command, options.full);
  const match = options.found.exec(full.output);
  if (match === null)
    throw new Error(`The output does not say how many skills were found: ${full.output.slice(-300)}`);
  return { found: Number(match[1]), ms: full.ms - startup.ms };
}

function call(command: URL, { args, directory }: Call): { readonly ms: number; readonly output: string } {
  const start = process.hrtime.bigint();
  const result = spawnSync(process.execPath, [fileURLToPath(command), ...args], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (result.error !== undefined) throw result.error;
  return { ms, output: stripVTControlCharacters(result.stdout.toString()) };
}
