import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { resolveHome, type ScriptRunner } from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { loadRunning } from "./load-running.ts";
import type { RunCommandOptions } from "./run-command-options.ts";
import { withPipedInput } from "./with-piped-input.ts";

/** Makes the runner that a command line asks for; warns where it asks for none of the protection. */
export function openScriptRunner(context: CommandContext, options: RunCommandOptions): ScriptRunner {
  const { allow = [], network = [], writable = [], sandbox } = options;
  const { createScriptRunner } = loadRunning();
  const runner: ScriptRunner = createScriptRunner({
    allow,
    network,
    writable: writable.map((folder) => requireFolder(resolve(context.workspace, folder))),
    ...(sandbox !== undefined && { sandbox }),
    home: resolveHome(context.environment).home,
  });
  const { readInput, terminal } = context;
  if (sandbox === "none") {
    terminal.warn(
      `${terminal.errorColours.yellow("warning:")} without a sandbox the script can do everything that you can.`,
    );
  }
  if (readInput === undefined) return runner;
  return withPipedInput(runner, { read: readInput, onWait: (notice) => terminal.warn(notice) });
}

function requireFolder(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isDirectory() === true) return realpathSync(path);
  throw new CliError("folder-missing", `There is no folder ${path}.`, {
    hints: ["--writable takes a folder that exists; . is the workspace."],
    details: { path },
  });
}
