import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { resolveHome, type ScriptRunner, type ScriptToRun } from "@skillet/core";
import { shellArgument } from "@skillet/kit/text";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext, Flags, Lists, Numbers, ReadInput, Texts } from "../context/command-context.ts";
import { loadRunning } from "../load-beside.ts";

export function openScriptRunner(context: CommandContext, options: RunCommandOptions): ScriptRunner {
  const { allow = [], network = [], writable = [], sandbox, cwd = "workspace" } = options;
  // On another machine, the workspace is a different folder, too.
  if (cwd !== "workspace" && cwd !== "skill" && sandbox?.startsWith("ssh:") !== true)
    requireFolder(context, cwd, "--cwd takes workspace, skill, or a folder in the workspace.");
  const { createScriptRunner } = loadRunning();
  const runner: ScriptRunner = createScriptRunner({
    allow,
    network,
    writable: writable.map((folder) =>
      requireFolder(context, folder, "--writable takes a folder that exists; . is the workspace."),
    ),
    ...(sandbox !== undefined && { sandbox }),
    home: resolveHome(context.environment).home,
  });
  const { readInput, terminal } = context;
  if (sandbox === "none")
    terminal.warn(
      `${terminal.errors.colours.yellow("warning:")} without a sandbox the script can do everything that you can.`,
    );
  return readInput === undefined ? runner : withPipedInput(runner, context, readInput);
}

function requireFolder({ workspace }: CommandContext, folder: string, hint: string): string {
  const path = resolve(workspace, folder);
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isDirectory() === true) return realpathSync(path);
  throw new CliError("folder-missing", `There is no folder ${path}.`, { hints: [hint], details: { path } });
}

/** Gives scripts the piped input; it is read after every check, so that a refusal does not wait for it. */
function withPipedInput(
  runner: ScriptRunner,
  { terminal, dialog }: CommandContext,
  read: ReadInput,
): ScriptRunner {
  return {
    allow: runner.allow,
    prepare: async (script) => {
      const prepared = await runner.prepare(script);
      if ("status" in prepared) return prepared;
      // The script would get an end of file, which looks like a failure of its own.
      if (dialog !== undefined && (await readsInput(script))) terminal.warn(TYPED);
      return {
        ...prepared,
        run: async (call) => {
          const { signal } = call;
          const stdin = await read({ onWait: terminal.warn, ...(signal && { signal }) });
          return prepared.run({ ...call, ...(stdin !== undefined && stdin.length > 0 && { stdin }) });
        },
      };
    },
  };
}

const TYPED =
  "It seems to read what is typed, which is not passed to scripts. To give it input: printf TEXT | skillet run …";
// A loop almost always reads a file or another program's output.
const READS_INPUT =
  /^(?!.*\b(?:while|isatty)\b)[^#|\n]*(?:\bread[ \t]+(?:-|\w+[ \t]*$)|\binput\(|\b(?:sys|process)\.stdin\b|\bgetpass\b|\/dev\/(?:tty|stdin)\b)/m;

async function readsInput({ files, path: script }: ScriptToRun): Promise<boolean> {
  let isReading = false;
  for await (const { path, bytes } of files)
    if (path === script) isReading = READS_INPUT.test(Buffer.from(bytes).toString("utf8"));
  return isReading;
}

export interface RunCommandOptions
  extends Flags<"yes" | "recordOutput">,
    Texts<"profile" | "sandbox" | "records" | "cwd">,
    Lists<"allow" | "network" | "writable" | "secret">,
    Numbers<"timeout"> {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
}

const GRANTS = ["allow", "profile", "network", "writable", "secret"] as const;
const FLAGS = [...GRANTS, "timeout", "sandbox", "cwd", "records"] as const;

export function runCommandLine(
  context: Pick<CommandContext, "skillsRoots" | "givenWorkspace" | "json">,
  options: RunCommandOptions,
  ...flags: readonly string[]
): string {
  const { name, path, args, yes } = options;
  const words = [
    ...["skillet", "run", name, path, ...placeFlags(context)],
    ...FLAGS.flatMap((flag) => repeat(`--${flag}`, options[flag])),
    ...(options.recordOutput === true ? ["--record-output"] : []),
    ...(yes === true ? ["--yes"] : []),
    ...(context.json ? ["--json"] : []),
    ...flags,
    ...(args.length > 0 ? ["--", ...args] : []),
  ];
  return words.map(shellArgument).join(" ");
}

/** Returns the flags that make another command search the same places. */
export function placeFlags({
  skillsRoots,
  givenWorkspace,
}: Pick<CommandContext, "skillsRoots" | "givenWorkspace">): readonly string[] {
  return [...repeat("--workspace", givenWorkspace), ...repeat("--skills-root", skillsRoots)];
}

function repeat(flag: string, values: string | number | readonly string[] = []): readonly string[] {
  return [values].flat().flatMap((value) => [flag, typeof value === "number" ? `${value}ms` : value]);
}
