import { type Command, InvalidArgumentError, Option } from "commander";
import { BUDGET_SYNTAX, parseBudget } from "./catalog/parse-budget.ts";
import { CliError } from "./cli-error.ts";
import { defineRun } from "./define-run.ts";
import { helpExamples } from "./help-examples.ts";
import type { RunCommand } from "./program.ts";
import { shellQuote } from "./ui/shell-quote.ts";

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
      run(async (context) => (await import("./commands/catalog.ts")).catalog(context, options)),
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
        (await import("./commands/activate.ts")).activate(context, { ...options, name, args }),
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
      run(async (context) => (await import("./commands/read.ts")).read(context, { ...options, name, path })),
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
        (await import("./commands/check-tool.ts")).checkTool(context, { ...options, name, tool, input }),
      );
    });
}

function inputInParts([name = "", tool = "", ...words]: readonly string[]): CliError {
  const command = ["check-tool", name, tool, words.join(" ")].map(shellQuote).join(" ");
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
      run(async (context) => (await import("./commands/records.ts")).records(context, { run: folder })),
    );
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a whole number.");
}
