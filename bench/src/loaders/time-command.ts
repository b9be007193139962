import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { startCommand } from "../measure/start-command.ts";
import type { LoaderRun } from "./loader.ts";

interface Call {
  readonly args: readonly string[];
  readonly directory: string;
}

/** Times a peer that only has a command; what the command takes with nothing to find is its start-up and is taken off. */
export function timeCommand(options: {
  readonly command: URL;
  readonly full: Call;
  readonly empty: Call;
  /** Its first group is the number of skills in the command's output. */
  readonly found: RegExp;
}): LoaderRun {
  const start = ({ args, directory }: Call): ReturnType<typeof startCommand> =>
    startCommand({
      args: [fileURLToPath(options.command), ...args],
      directory,
      env: { ...process.env, NO_COLOR: "1" },
    });
  const empty = start(options.empty);
  const full = start(options.full);
  const output = stripVTControlCharacters(full.output);
  const match = options.found.exec(output);
  if (match === null)
    throw new Error(`The output does not say how many skills were found: ${output.slice(-300)}`);
  return { found: Number(match[1]), cpuMs: full.cpuMs - empty.cpuMs, wallMs: full.wallMs - empty.wallMs };
}
