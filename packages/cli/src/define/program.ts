import { type Argument, Command, CommanderError, Help, Option } from "commander";
import { CliError } from "../context/cli-error.ts";
import type { Terminal } from "../ui/terminal.ts";
import { hang, pad } from "../ui/text.ts";
import {
  type CommandDefinition,
  defineCommand,
  nameMeant,
  type RunCommand,
  repeated,
} from "./command-definition.ts";
import { DEFINITIONS } from "./definitions.ts";

export interface ProgramOptions {
  readonly json?: boolean;
  readonly skillsRoot?: readonly string[];
  readonly workspace?: string;
  readonly debug?: boolean;
}

/** Creates the command tree with names, options and help; a command's code is loaded when it is called. */
export function createProgram(options: {
  readonly version: string;
  readonly terminal: Terminal;
  readonly run: RunCommand;
  /** Defines only the commands that this command line may mean; if absent, all. */
  readonly argv?: readonly string[];
}): Command {
  const { terminal } = options;
  const program = new Command("skillet")
    .description("Find, check, explain and manage Agent Skills.")
    .usage("<command> [options]")
    .version(options.version, "-V, --version", "print the version")
    .addOption(new Option("-v").hideHelp())
    .on("option:v", () => {
      terminal.print(options.version);
      throw new CommanderError(0, "commander.version", options.version);
    })
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .optionsGroup("Options of every command:")
    .option("--json", "print one JSON document and nothing else")
    .addOption(repeated(new Option("--skills-root <dir>", "look only in this folder (repeatable)")))
    .option("--workspace <dir>", "use this folder instead of the working directory")
    .option("--color", "colours, also where the output is not a terminal")
    .option("--no-color", "no colours")
    .option("--debug", "show stack traces")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      // Only help without a command is written here; the caller then decides what to show.
      writeErr: () => undefined,
      // Errors are thrown and reported in one place.
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(terminal.width, 100),
      getErrHelpWidth: () => Math.min(terminal.width, 100),
      getOutHasColors: () => terminal.colours.isColorSupported,
    })
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 8,
      ...(terminal.width < NARROW && { formatItem: belowItsTerm }),
      subcommandTerm: (command) => subcommandTerm(command, terminal.width),
      formatHelp: (command, helper) => {
        const word = command.parent === null && command.args.find((one) => !one.startsWith("-"));
        if (word && !command.commands.some((one) => one.name() === word || one.aliases().includes(word)))
          throw noCommand(`Unknown command '${word}'.`, word);
        return command.parent === null && command.getOptionValue("everything") !== true
          ? firstHelp(terminal)
          : optionsLast(Help.prototype.formatHelp.call(helper, command, helper));
      },
      styleTitle: (title) => terminal.colours.bold(title),
      styleSubcommandText: (text) => terminal.colours.cyan(text),
      styleOptionText: (text) => terminal.colours.cyan(text),
    });
  defineCommands(program, options.run, options.argv);
  return program;
}

const NARROW = 60;

// Beside the term there would be room for one word per line, and none for a long word.
function belowItsTerm(this: Help, term: string, _: number, text: string): string {
  return [`  ${term}`, ...hang(text, { width: this.helpWidth ?? NARROW }, { indent: 6 })].join("\n");
}

// Defines only the commands that may be meant, since defining all takes as long as finding 50 skills.
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
    .description("Show help for a command, or the commands to begin with.")
    .argument("[command...]")
    .option("--all", "list every command")
    .action((path: readonly string[], { all }: { readonly all?: boolean }) => {
      let command = program;
      // Users try this word before they know the option.
      const isAll = all ?? path.join() === "all";
      for (const name of isAll ? [] : path) {
        const next = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
        if (next === undefined)
          throw noCommand(`There is no command '${path.join(" ")}'.`, command === program ? name : "");
        command = next;
      }
      program.setOptionValue("everything", isAll);
      command.outputHelp();
    });
}

/** The error for a word that is not a command; suggests the command that it most likely means. */
export function noCommand(message: string, word: string): CliError {
  const commands = DEFINITIONS.flatMap(([, some]) => some);
  const near = nameMeant(word, [...commands, { name: "help", description: "" }]);
  return new CliError("usage", message, {
    hints: [...(near === undefined ? [] : [`Did you mean ${near}?`]), "See: skillet help"],
  });
}

const FIRST: readonly string[] =
  "init new find try install show explain search disable update remove trust scan run doctor".split(" ");

/** What a newcomer needs first, on one screen; `skillet help --all` has the rest. */
export function firstHelp(terminal: Terminal): string {
  const { bold, cyan } = terminal.colours;
  const all = DEFINITIONS.flatMap(([, commands]) => commands);
  const shown = FIRST.flatMap((name) => all.find((one) => one.name === name) ?? []);
  const column = Math.max(...shown.map(({ name }) => name.length)) + 4;
  return [
    `${bold("Usage:")} skillet <command> [options]`,
    "",
    ...hang("Finds, checks and manages the skills of the agents on this machine.", terminal),
    "",
    ...shown.flatMap(({ name, summary = "" }) =>
      hang(summary, terminal, { indent: column, lead: `  ${cyan(pad(name, column - 2))}` }),
    ),
    "",
    ...hang("Every command takes --json, --no-color and --workspace DIR.", terminal),
    ...hang("One command: skillet help install. All of them: skillet help --all", terminal),
  ].join("\n");
}

function subcommandTerm(command: Command, width: number): string {
  const words = width < 60 ? [] : command.registeredArguments.map(argumentTerm);
  return [command.name(), ...words].join(" ");
}

function argumentTerm(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

// Users look for the commands; the shared options are the same everywhere.
function optionsLast(help: string): string {
  const sections = help.trimEnd().split("\n\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: titles may be in bold
  const isOptions = (section: string): boolean => /^(?:\x1b\[\d+m)*(?:Global )?Options/.test(section);
  const [others, options] = [sections.filter((section) => !isOptions(section)), sections.filter(isOptions)];
  return `${[...others, ...options].join("\n\n")}\n`;
}
