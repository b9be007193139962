import type { CatalogBudget } from "@skillet/core";
import { shellArgument } from "@skillet/kit/text";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "../cli-error.ts";
import { helpExamples, type RunCommand } from "./program.ts";

const MODES = ["default", "plan", "locked"];
/** What a session gives at most; written here so that help need not load core. */
const MAX_READ_BYTES = 256_000;

/** Adds the commands that show what a session gives to a model, lets it do, and has recorded. */
export function defineSession(program: Command, run: RunCommand): void {
  defineCatalog(program, run);
  defineActivate(program, run);
  defineRead(program, run);
  defineRun(program, run);
  defineCheckTool(program, run);
  defineRecords(program, run);
}

function defineCatalog(program: Command, run: RunCommand): void {
  program
    .command("catalog")
    .summary("print what a model is told about the skills")
    .description("Print the catalogue: what a model is told about the skills it may load.")
    .addOption(
      new Option("--format <form>", "how it is written")
        .choices(["xml", "markdown", "tool", "json"])
        .default("xml"),
    )
    .addOption(
      new Option("--budget <size>", `how long it may be: ${BUDGET_SYNTAX} (default: 8000c)`).argParser(
        (text: string) => {
          const budget = parseBudget(text);
          if (budget !== undefined) return budget;
          throw new InvalidArgumentError(`It can be ${BUDGET_SYNTAX}.`);
        },
      ),
    )
    .addOption(
      new Option("--window <tokens>", "the model's whole context, of which it gets 2 %").argParser(
        wholeNumber,
      ),
    )
    .addOption(new Option("--mode <mode>", "as in a session of that mode").choices(MODES))
    .option("--message <text>", "what the person just said: skills that suit it are kept first")
    .addOption(new Option("--for <message>", "the same as --message").hideHelp())
    .option("--report", "list what was shortened, left out and hidden instead")
    .addHelpText(
      "after",
      helpExamples(
        "skillet catalog --window 200000",
        'skillet catalog --budget 500 --message "fill in a PDF form"',
        "skillet catalog --mode plan --report",
      ),
    )
    .action((options) =>
      run(async (context) => (await import("../commands/catalog.ts")).catalog(context, options)),
    );
}

function defineActivate(program: Command, run: RunCommand): void {
  program
    .command("activate")
    .summary("print what a model receives when a skill is loaded")
    .description(
      "Print exactly what a model receives when a skill is loaded; nothing is run and nothing recorded.",
    )
    .argument("<name>", "a skill's name, qualified name, folder name, path or mention, such as /gh")
    .argument("[args...]", "arguments; a single one is taken as typed behind the name")
    .addOption(new Option("--source <source>", "who loads it").choices(["model", "user"]).default("user"))
    .option("-y, --yes", "do not ask where a rule asks")
    .addHelpText(
      "after",
      helpExamples(
        "skillet activate hello-world",
        "skillet activate fix-issue 123 high",
        "skillet activate gh --source model",
      ),
    )
    .action((name, args, options) =>
      run(async (context) =>
        (await import("../commands/activate.ts")).activate(context, { ...options, name, args }),
      ),
    );
}

function defineRead(program: Command, run: RunCommand): void {
  program
    .command("read")
    .summary("print a file of a skill as a model gets it")
    .description("Print a file of a skill as a session gives it to a model, or say why it does not.")
    .argument("<name>", "a skill's name, qualified name, folder name or path")
    .argument("<path>", "a file, relative to the skill's folder")
    .addOption(
      new Option("--max-bytes <bytes>", "how much of it at most, up to 256000 (default: 64000)").argParser(
        (text: string) => {
          const bytes = wholeNumber(text);
          if (bytes <= MAX_READ_BYTES) return bytes;
          throw new InvalidArgumentError(`It can be up to ${MAX_READ_BYTES}.`);
        },
      ),
    )
    .addHelpText(
      "after",
      helpExamples("skillet read pdf references/fields.md", "skillet read pdf big.csv --max-bytes 1000"),
    )
    .action((name, path, options) =>
      run(async (context) => (await import("../commands/read.ts")).read(context, { ...options, name, path })),
    );
}

function defineCheckTool(program: Command, run: RunCommand): void {
  program
    .command("check-tool")
    .summary("say what the policy answers to a tool call")
    .description(
      "Say whether a tool call is allowed, asked about or denied while a skill is active, in a session that permits the tool in general.",
    )
    .argument("<name>", "the active skill: its name, qualified name, folder name or path")
    .argument("<tool>", "the tool, such as Bash or Read")
    .argument("[input]", "its command, path or address, in quotes; or a JSON object")
    .addOption(
      new Option("--mode <mode>", "as in a session of that mode; locked asks nothing").choices(MODES),
    )
    .addHelpText(
      "after",
      helpExamples(
        "skillet check-tool gh Bash 'gh pr list'",
        "skillet check-tool gh Bash 'git status && rm -rf x'",
        "skillet check-tool gh Read README.md --mode locked",
      ),
    )
    .allowExcessArguments()
    .action((name, tool, input, options, command: Command) => {
      const [, , ...words] = command.args;
      if (words.length > 1) throw inputInParts(command.args);
      return run(async (context) =>
        (await import("../commands/check-tool.ts")).checkTool(context, { ...options, name, tool, input }),
      );
    });
}

function inputInParts([name = "", tool = "", ...words]: readonly string[]): CliError {
  const command = ["check-tool", name, tool, words.join(" ")].map(shellArgument).join(" ");
  return new CliError("usage", "The input is one argument; put it in quotes.", {
    hints: [`For example: skillet ${command}`],
  });
}

function defineRecords(program: Command, run: RunCommand): void {
  program
    .command("records")
    .summary("tell what happened in a recorded run")
    .description("Tell what happened in a run: what was loaded, read, run, asked and refused, in order.")
    .argument("<run>", "the folder that a session recorded into")
    .addHelpText(
      "after",
      helpExamples("skillet records .skillet/runs/42", "skillet records .skillet/runs/42 --json"),
    )
    .action((folder) =>
      run(async (context) => (await import("../commands/records.ts")).records(context, { run: folder })),
    );
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a whole number.");
}

/** What a run may take at most; written here so that help need not load the runner. */
const MAX_TIMEOUT_MS = 600_000;
const SANDBOXES = "bubblewrap, seatbelt, ssh:DESTINATION or none";

function defineRun(program: Command, run: RunCommand): void {
  program
    .command("run")
    .summary("run a skill's script in a sandbox")
    .description(
      "Run a script of a skill in a sandbox, exactly as it was checked. It reads the workspace and reaches nothing else unless you grant it.",
    )
    .usage("<name> <path> [options] [-- args...]")
    .argument("<name>", "a skill's name, qualified name, folder name or path")
    .argument("<path>", "the script, such as scripts/fill.py")
    .argument("[args...]", "arguments of the script, behind --")
    .addOption(repeated("--allow <script>", "let this script run: skill:scripts/path (repeatable)"))
    .option("--profile <name>", "let the scripts of a profile of your config run")
    .addOption(repeated("--network <host>", "let it reach this host, with or without :port (repeatable)"))
    .addOption(repeated("--writable <dir>", "let it write into this folder; . is the workspace (repeatable)"))
    .addOption(repeated("--secret <name>", "pass on this variable, if the skill declares it (repeatable)"))
    .addOption(
      new Option("--timeout <ms>", "end it after this time, up to 600000 (default: the config's)").argParser(
        timeout,
      ),
    )
    .addOption(
      new Option("--sandbox <sandbox>", `where it runs: ${SANDBOXES} (default: the system's)`).argParser(
        sandbox,
      ),
    )
    .addOption(new Option("--cwd <folder>", "where it starts").choices(["workspace", "skill"]))
    .option("--records <dir>", "record the run into this folder")
    .option("-y, --yes", "do not ask where a rule asks")
    .addHelpText(
      "after",
      helpExamples(
        "skillet run pdf scripts/fields.py --allow pdf:scripts/fields.py -- tax.pdf",
        "skillet run pdf scripts/fill.py --profile forms --writable . -- tax.pdf",
        "skillet run news scripts/get.py --profile news --network api.example.org",
      ),
    )
    .action((name, path, args, options) =>
      run(async (context) =>
        (await import("../commands/run.ts")).runScript(context, { ...options, name, path, args }),
      ),
    );
}

function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    value,
  ]);
}

function timeout(text: string): number {
  const milliseconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (milliseconds >= 1 && milliseconds <= MAX_TIMEOUT_MS) return milliseconds;
  throw new InvalidArgumentError(`It is a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}.`);
}

function sandbox(text: string): string {
  // A destination that begins with a dash would be an option of ssh.
  if (/^(?:bubblewrap|seatbelt|none|ssh:[^-\s].*)$/.test(text)) return text;
  throw new InvalidArgumentError(`It can be ${SANDBOXES}.`);
}

/** How `--budget` is written, for help and for messages. */
const BUDGET_SYNTAX = "tokens such as 2000, characters such as 8000c, or unlimited";

/** Reads a budget as it is typed: `2000` tokens, `8000c` characters, or `unlimited`; undefined if it is none. */
export function parseBudget(text: string): CatalogBudget | undefined {
  if (text === "unlimited") return "unlimited";
  const [, digits, unit] = /^(\d{1,9})(c?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return unit === "c" ? { characters: Number(digits) } : { tokens: Number(digits) };
}
