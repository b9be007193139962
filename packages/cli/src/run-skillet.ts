import { resolve } from "node:path";
import { CommanderError } from "commander";
import { CliError } from "./context/cli-error.ts";
import type { CommandContext, ExitCode } from "./context/command-context.ts";
import { isInterrupted } from "./context/create-ask.ts";
import { reportFailure } from "./context/report-failure.ts";
import { createProgram, type ProgramOptions } from "./define/program.ts";
import { createTerminal, type OutputStream, type Terminal } from "./ui/terminal.ts";

export interface Host
  extends Pick<
    CommandContext,
    "version" | "environment" | "confirm" | "dialog" | "readInput" | "onInterrupt"
  > {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly workingDirectory: string;
}

/** Runs one command line and returns its exit code; nothing is thrown. */
export async function runSkillet(argv: readonly string[], host: Host): Promise<ExitCode> {
  const terminal = createTerminal(host);
  // A session takes any failure for a no and goes on, but the shell must still learn of Ctrl-C.
  const listening = hearInterrupts(host, () => {
    wasInterrupted = true;
  });
  let exitCode: ExitCode = 0;
  let matched: string | undefined;
  let wasInterrupted = false;
  // Everything after it is for the script.
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const parse = async (commands: { readonly argv?: readonly string[] }): Promise<void> => {
    const program = createProgram({
      version: host.version,
      terminal,
      run: async (command) => {
        exitCode = await command(createContext(listening, terminal, program.opts<ProgramOptions>()));
      },
      ...commands,
    });
    program.hook("preSubcommand", (_program, command) => {
      matched = command.name();
      command.hook("preSubcommand", (_command, action) => {
        matched = `${command.name()} ${action.name()}`;
      });
    });
    await program.parseAsync([...argv], { from: "user" });
  };
  try {
    if (own.includes("--json") && own.every((argument) => argument.startsWith("-"))) {
      throw new CliError("usage", "--json needs a command.", {
        hints: ["See: skillet help"],
      });
    }
    try {
      await parse({ argv });
    } catch (error) {
      // Suggestions for a mistyped name need all commands.
      if (!(error instanceof CommanderError) || error.code !== "commander.unknownCommand") throw error;
      await parse({});
    }
    return wasInterrupted ? 130 : exitCode;
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help"))
      return 0;
    const failure = error instanceof CommanderError ? usageError(error, matched) : error;
    return reportFailure(failure, {
      terminal,
      json: own.includes("--json"),
      debug: own.includes("--debug"),
    });
  }
}

function hearInterrupts(host: Host, onInterrupted: () => void): Host {
  const { confirm } = host;
  if (confirm === undefined) return host;
  return {
    ...host,
    confirm: async (question) => {
      try {
        return await confirm(question);
      } catch (error) {
        if (isInterrupted(error)) onInterrupted();
        throw error;
      }
    },
  };
}

function createContext(host: Host, terminal: Terminal, options: ProgramOptions): CommandContext {
  const { stdout: _stdout, stderr: _stderr, workingDirectory, ...process } = host;
  const workspace = resolve(workingDirectory, options.workspace ?? ".");
  return {
    ...process,
    terminal,
    json: options.json ?? false,
    debug: options.debug ?? false,
    skillsRoots: (options.skillsRoot ?? []).map((root) => resolve(workspace, root)),
    workspace,
    ...(options.workspace !== undefined && { givenWorkspace: workspace }),
  };
}

function usageError(error: CommanderError, command: string | undefined): CliError {
  const [message = "", ...suggestions] = error.message.replace(/^error: /, "").split("\n");
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith(".") ? "" : "."}`;
  return new CliError("usage", sentence, {
    hints: [
      ...suggestions.map((suggestion) => suggestion.replace(/^\((.*)\)$/, "$1")),
      ...(command === "run" && error.code === "commander.unknownOption"
        ? ["Options of the script itself go after --"]
        : []),
      `See: skillet help${command === undefined ? "" : ` ${command}`}`,
    ],
  });
}
