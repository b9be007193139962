import { type Argument, Command, Help, Option } from "commander";
import { CliError } from "../context/cli-error.ts";
import type { Terminal } from "../ui/terminal.ts";
import { type CommandDefinition, defineCommand, type RunCommand, repeated } from "./command-definition.ts";
import { DEFINITIONS } from "./definitions.ts";

export interface ProgramOptions {
  readonly json?: boolean;
  readonly skillsRoot?: readonly string[];
  readonly workspace?: string;
  readonly debug?: boolean;
}

/** The command tree: names, options and help; the code of each command is loaded when it is called. */
export function createProgram(options: {
  readonly version: string;
  readonly terminal: Terminal;
  readonly run: RunCommand;
  /** Only the commands that a command line may mean; without it, all. */
  readonly argv?: readonly string[];
}): Command {
  const { terminal } = options;
  const program = new Command("skillet")
    .description("Find, check, explain and manage Agent Skills.")
    .usage("<command> [options]")
    .version(options.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .optionsGroup("Options of every command:")
    .option("--json", "print one JSON document and nothing else")
    .addOption(repeated(new Option("--skills-root <dir>", "look only in this folder (repeatable)")))
    .option("--workspace <dir>", "use this folder instead of the working directory")
    .option("--debug", "show stack traces")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      // Only help is written here, when no command was given, which is a question, not a mistake.
      writeErr: (text) => terminal.print(text.trimEnd()),
      // Errors are thrown and reported in one place.
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(terminal.width, 100),
      getErrHelpWidth: () => Math.min(terminal.width, 100),
      getOutHasColors: () => terminal.colours.isColorSupported,
    })
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 8,
      subcommandTerm: (command) => subcommandTerm(command, terminal.width),
      formatHelp: (command, helper) => optionsLast(Help.prototype.formatHelp.call(helper, command, helper)),
      styleTitle: (title) => terminal.colours.bold(title),
      styleSubcommandText: (text) => terminal.colours.cyan(text),
      styleOptionText: (text) => terminal.colours.cyan(text),
    });
  defineCommands(program, options.run, options.argv);
  return program;
}

// Only those that a command line may mean, since defining all of them takes as long as finding 50 skills.
function defineCommands(program: Command, run: RunCommand, argv: readonly string[] = []): void {
  const isMeant = ({ name, aliases = [] }: CommandDefinition): boolean =>
    [name, ...aliases].some((one) => argv.includes(one));
  const named = DEFINITIONS.map(([heading, commands]) => [heading, commands.filter(isMeant)] as const);
  const isNone = named.every(([, commands]) => commands.length === 0);
  const isAll = isNone || argv.includes("help");
  for (const [heading, commands] of isAll ? DEFINITIONS : named) {
    program.commandsGroup(heading);
    if (isAll && heading === "Help:") defineHelp(program);
    for (const command of commands) defineCommand(program, command, run);
  }
}

function defineHelp(program: Command): void {
  program
    .command("help")
    .summary("show help for a command")
    .description("Show help for a command.")
    .argument("[command...]")
    .action((path: readonly string[]) => {
      let command = program;
      for (const name of path) {
        const next = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
        if (next === undefined)
          throw new CliError("usage", `There is no command '${path.join(" ")}'.`, {
            hints: ["See: skillet help"],
          });
        command = next;
      }
      command.outputHelp();
    });
}

function subcommandTerm(command: Command, width: number): string {
  const words = width < 60 ? [] : command.registeredArguments.map(argumentTerm);
  return [command.name(), ...words].join(" ");
}

function argumentTerm(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

// People come for the commands; the options they share are the same everywhere.
function optionsLast(help: string): string {
  const sections = help.trimEnd().split("\n\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: titles may be in bold
  const isOptions = (section: string): boolean => /^(?:\x1b\[\d+m)*(?:Global )?Options/.test(section);
  const [others, options] = [sections.filter((section) => !isOptions(section)), sections.filter(isOptions)];
  return `${[...others, ...options].join("\n\n")}\n`;
}
