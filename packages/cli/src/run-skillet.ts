import { resolve } from "node:path";
import { shellArgument } from "@skillet/kit/text";
import { type Command, CommanderError } from "commander";
import { CliError, usageError } from "./context/cli-error.ts";
import type { CommandContext, Dialog, ExitCode } from "./context/command-context.ts";
import { askOnTerminal, isInterrupted } from "./context/create-ask.ts";
import { reportFailure } from "./context/report-failure.ts";
import { otherWords, type RunCommand } from "./define/command-definition.ts";
import { createProgram, firstHelp, noCommand, type ProgramOptions } from "./define/program.ts";
import { createTerminal, type OutputStream, type Terminal } from "./ui/terminal.ts";

export interface Host
  extends Pick<CommandContext, "version" | "environment" | "dialog" | "readInput" | "onInterrupt"> {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly workingDirectory: string;
}

/** Runs one command line and returns its exit code; never throws. */
export async function runSkillet(argv: readonly string[], host: Host): Promise<ExitCode> {
  // Everything after `--` is for the script.
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const environment = { ...host.environment, ...wantedColour(own) };
  const terminal = createTerminal({ ...host, environment, places: typedPlaces(own) });
  let exitCode: ExitCode = 0;
  let matched: string | undefined;
  let wasInterrupted = false;
  const run: RunCommand = async (command) => {
    const ending = new AbortController();
    const running = { ...host, argv, ended: ending.signal };
    const context = createContext(running, terminal, program.opts<ProgramOptions>());
    const { dialog } = context;
    const confirm =
      dialog &&
      createConfirm(dialog, terminal, () => {
        wasInterrupted = true;
      });
    try {
      exitCode = await command({ ...context, ...(confirm && { confirm }) });
    } finally {
      ending.abort();
    }
  };
  const program = createProgram({ version: host.version, terminal, argv, run });
  program.hook("preSubcommand", (_program, command) => {
    matched = command.name();
    command.hook("preSubcommand", (_command, action) => {
      matched = `${command.name()} ${action.name()}`;
    });
  });
  try {
    if (own.includes("--json") && own.every((argument) => argument.startsWith("-"))) {
      throw usageError("", "--json needs a command.", "What is there: skillet show --json");
    }
    try {
      await program.parseAsync([...argv], { from: "user" });
    } catch (error) {
      // No command was given.
      if (!(error instanceof CommanderError) || error.code !== "commander.help") throw error;
      if (!terminal.isTerminal) terminal.print(firstHelp(terminal));
      else await run(async (context) => (await import("./commands/status.ts")).status(context));
    }
    return wasInterrupted ? 130 : exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failure = explainUse(error, program, matched);
    return reportFailure(failure, { terminal, json: own.includes("--json"), debug: own.includes("--debug") });
  }
}

/** Only an explicit yes counts; a closed input means no. */
function createConfirm(
  dialog: Dialog,
  terminal: Terminal,
  onInterrupted: () => void,
): (question: string) => Promise<boolean> {
  return async (question) => {
    terminal.status();
    try {
      return /^y(?:es)?$/i.test((await askOnTerminal(dialog, `${question} [y/N]`)) ?? "");
    } catch (error) {
      // A session treats any failure as a no and goes on, but the shell must still learn about Ctrl-C.
      if (isInterrupted(error)) onInterrupted();
      throw error;
    }
  };
}

function createContext(
  host: Host & Pick<CommandContext, "argv" | "ended">,
  terminal: Terminal,
  options: ProgramOptions,
): CommandContext {
  const { stdout: _stdout, stderr: _stderr, workingDirectory, dialog, ...process } = host;
  const workspace = resolve(workingDirectory, options.workspace ?? ".");
  const { json = false } = options;
  return {
    ...process,
    terminal,
    json,
    ...(dialog && !json && { dialog }),
    debug: options.debug ?? false,
    skillsRoots: (options.skillsRoot ?? []).map((root) => resolve(workspace, root)),
    workspace,
    ...(options.workspace !== undefined && { givenWorkspace: workspace }),
  };
}

function typedPlaces(own: readonly string[]): string {
  const flags = own.flatMap((word, index) => {
    const isPlace = /^--(?:skills-root|workspace)(?:=|$)/.test(word);
    return !isPlace ? [] : word.includes("=") ? [word] : own.slice(index, index + 2);
  });
  return flags.map((word) => ` ${shellArgument(word)}`).join("");
}

function wantedColour(own: readonly string[]): Readonly<Record<string, string>> {
  const last = own.findLast((argument) => argument === "--color" || argument === "--no-color");
  if (last === undefined) return {};
  return last === "--color" ? { NO_COLOR: "", FORCE_COLOR: "1" } : { NO_COLOR: "1" };
}

function explainUse(error: unknown, program: Command, command: string | undefined): unknown {
  const [word = "", ...typed] = program.args;
  const called = program.commands.find((one) => one.name() === command);
  const meant = typed.flatMap((one) => otherWords(one).map((name) => `--${name}`));
  const flag = called?.options.find(({ long }) => meant.includes(long ?? ""))?.long;
  if (error instanceof CliError && error.code === "folder-missing" && flag !== undefined)
    return new CliError(error.code, error.message, { ...error, hints: [`Did you mean ${flag}?`] });
  if (!(error instanceof CommanderError)) return error;
  if (error.code === "commander.unknownCommand") return noCommand(`Unknown command '${word}'.`, word);
  const [message = "", ...suggestions] = error.message.replace(/^error: /, "").split("\n");
  const missing = called?.registeredArguments.find((one) => message.endsWith(` argument '${one.name()}'`));
  const greedy =
    missing && called?.options.find((one) => one.variadic && one.attributeName() in called.opts())?.long;
  const isExcess = error.code === "commander.excessArguments";
  const extra = called?.args.at(-1) ?? "";
  const takesSkill = called?.options.some(({ long }) => long === "--skill") === true;
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith(".") ? "" : "."}`;
  return new CliError("usage", sentence, {
    hints: [
      ...(missing === undefined ? [] : [`${missing.name()}: ${missing.description}`]),
      ...(greedy
        ? [`${greedy} took every word after it; put it last, or -- before the ${missing.name()}.`]
        : []),
      ...(flag && isExcess ? [`Did you mean ${flag}?`] : []),
      ...(isExcess && !flag && takesSkill
        ? [`To name skills of a source: --skill ${shellArgument(extra)}`]
        : []),
      ...suggestions.map((suggestion) => suggestion.replace(/^\((.*)\)$/, "$1")),
      ...(command === "run" && error.code === "commander.unknownOption"
        ? ["Options of the script itself go after --"]
        : []),
      `See: skillet help${command === undefined ? "" : ` ${command}`}`,
    ],
  });
}
