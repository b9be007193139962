import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "../cli-error.ts";
import { helpExamples, type RunCommand } from "./program.ts";

/** Adds `eval` and its actions. */
export function defineEval(program: Command, run: RunCommand): void {
  const evaluate = program
    .command("eval")
    .summary("measure whether messages call the right skill")
    .description("Measure whether messages call the right skill, and find skills that take each other's.")
    .usage("<triggers|collisions|learn> [options]")
    .addHelpText(
      "after",
      helpExamples("skillet eval triggers pdf-forms", "skillet eval collisions --min-share 0.5"),
    )
    .allowExcessArguments()
    .action((_options, command: Command) => {
      const [action] = command.args;
      throw new CliError(
        "usage",
        action === undefined ? "Say what to evaluate." : `There is no action '${action}'.`,
        { hints: [`Actions: ${command.commands.map((one) => one.name()).join(", ")}`] },
      );
    });
  defineTriggers(evaluate, run);
  defineCollisions(evaluate, run);
  defineLearn(evaluate, run);
}

function defineTriggers(evaluate: Command, run: RunCommand): void {
  evaluate
    .command("triggers")
    .summary("run a skill's set of messages that should and should not call it")
    .description(
      "Run messages that should and should not call a skill through the selector and, where the config names one, a language model.",
    )
    .argument("<skill>", "a skill's name, or the path of its folder")
    .allowExcessArguments(false)
    .addOption(
      new Option(
        "--set <file>",
        "messages to use (repeatable; default: evals/eval_queries.json and the like beside the skill)",
      ).argParser((value: string, previous: readonly string[] = []) => [...previous, value]),
    )
    .option("--among <dir>", "choose among the skills of this folder (default: those that are installed)")
    .option("--alone", "choose among no other skills")
    .addOption(
      new Option(
        "--at <decision>",
        "from which decision on the skill counts as called (default: suggest)",
      ).choices(["activate", "suggest"]),
    )
    .option("--untaught", "leave out what use has taught (selection.yaml), which sessions go by")
    .option("--with-examples", "let each message be decided with the others of the set as examples")
    .addOption(
      new Option("--by <whom>", "who decides (default: both, where eval.model is set)").choices([
        "selector",
        "model",
        "both",
      ]),
    )
    .addOption(wholeNumber("--runs <n>", "runs of the model for each message (default: 3)", 50))
    .addOption(share("--threshold <share>", "share of runs from which on it counts as called (default: 0.5)"))
    .addOption(wholeNumber("--workers <n>", "runs at once (default: 4)", 32))
    .addOption(wholeNumber("--timeout <seconds>", "for one run (default: 120)", 3_600))
    .addOption(share("--min-precision <share>", "end with 1 below this precision"))
    .addOption(share("--min-recall <share>", "end with 1 below this recall"))
    .addOption(share("--min-f1 <share>", "end with 1 below this F1"))
    .option("--output <file>", "write the results to a file, as skill-creator does")
    .option("--verbose", "also show why the messages that pass do")
    .addHelpText(
      "after",
      helpExamples(
        "skillet eval triggers pdf-forms",
        "skillet eval triggers ./skills/pdf-forms --alone --min-f1 0.9",
        "skillet eval triggers pdf-forms --set queries.csv --by selector --output results.json",
      ),
    )
    .action((skill, options) =>
      run(async (context) =>
        (await import("../commands/eval-triggers.ts")).evalTriggers(context, { ...options, skill }),
      ),
    );
}

function defineCollisions(evaluate: Command, run: RunCommand): void {
  evaluate
    .command("collisions")
    .summary("find skills that take each other's messages")
    .description(
      "Try every skill's own phrases as messages, and list pairs where another skill comes first, or close.",
    )
    .argument("[name...]", "only collisions of these skills")
    .addOption(
      share("--min-share <share>", "of a skill's phrases, the share that must be contested (default: 0.25)"),
    )
    .option("--fail", "end with 1 when there are any")
    .addHelpText(
      "after",
      helpExamples("skillet eval collisions", "skillet eval collisions pdf-forms --min-share 0.1 --fail"),
    )
    .action((names, options) =>
      run(async (context) =>
        (await import("../commands/eval-collisions.ts")).evalCollisions(context, { ...options, names }),
      ),
    );
}

function defineLearn(evaluate: Command, run: RunCommand): void {
  evaluate
    .command("learn")
    .summary("learn from recorded sessions when to offer skills")
    .description(
      "Read what came of skills in recorded sessions, show what that would change about when they are offered, and write it on a yes.",
    )
    .allowExcessArguments(false)
    .addOption(
      new Option(
        "--runs <dir>",
        "a run, or a folder of runs (repeatable; default: runs/ in Skillet's folder and, where it is trusted, .skillet/runs of the project)",
      ).argParser((value: string, previous: readonly string[] = []) => [...previous, value]),
    )
    .addOption(
      new Option(
        "--since <when>",
        "only what was recorded since a day (2026-11-01) or in days (30d)",
      ).argParser((text: string) => {
        const since = parseSince(text, Date.now());
        if (since !== undefined) return since;
        throw new InvalidArgumentError("It is a day such as 2026-11-01, or a number of days such as 30d.");
      }),
    )
    .option("--dry-run", "show the change, write nothing")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      helpExamples("skillet eval learn --dry-run", "skillet eval learn --runs .skillet/runs --since 30d"),
    )
    .action((options) =>
      run(async (context) => (await import("../commands/eval-learn.ts")).evalLearn(context, options)),
    );
}

function wholeNumber(flags: string, description: string, most: number): Option {
  return new Option(flags, description).argParser((text: string) => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
  });
}

function share(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string) => {
    const value = /^(?:0|1|[01]?\.\d{1,6})$/.test(text) ? Number(text) : 2;
    if (value <= 1) return value;
    throw new InvalidArgumentError("It is a number from 0 to 1, such as 0.9.");
  });
}

/** Adds the command that scans skills. */
export function defineScan(program: Command, run: RunCommand): void {
  program
    .command("scan")
    .summary("look for attacks in skills, without running them")
    .description(
      "Scan skills for attacks: what each does, what speaks against it and where, and a verdict: safe, caution or dangerous. Nothing in them is run.",
    )
    .argument(
      "[path-or-name...]",
      "skill folders, SKILL.md files, folders of skills, files, or installed skills; the working directory unless given",
    )
    .option("--all", "scan every skill that was found, offered or not")
    .addOption(
      new Option("--format <format>", "how to report (default: text)").choices([
        "text",
        "json",
        "sarif",
        "html",
      ]),
    )
    .option("--output <file>", "write the report to a file")
    .addOption(
      new Option("--fail-on <verdict>", "end with 1 from this verdict on (default: dangerous)").choices([
        "dangerous",
        "caution",
        "never",
      ]),
    )
    .option("--verbose", "also show findings without effect on the verdict")
    .addOption(
      new Option("--rules <pack>", "add the rules of a YAML file (repeatable)").argParser(
        (value: string, previous: readonly string[] = []) => [...previous, value],
      ),
    )
    .option(
      "--suppressions <file>",
      "findings that somebody dismissed (default: scan-suppressions.yaml in Skillet's folder)",
    )
    .option("--baseline <file>", "count only findings that are not in this file")
    .option("--write-baseline <file>", "write all findings to this file, for --baseline")
    .option("--judge", "also ask the language model of your config, which can only raise a verdict")
    .option("--explain <rule>", "say what a rule finds and what makes it fine")
    .option("--list-rules", "list every rule")
    .addHelpText(
      "after",
      helpExamples(
        "skillet scan skills/pdf",
        "skillet scan --all --fail-on caution",
        "skillet scan skills --format sarif --output scan.sarif",
        "skillet scan --explain EX1",
      ),
    )
    .action((words, options) =>
      run(async (context) => (await import("../commands/scan.ts")).scan(context, { ...options, words })),
    );
}

/** The selector gives no more; written here so that help need not load it. */
const MAX_RESULTS = 50;

/** Adds `search`. */
export function defineSearch(program: Command, run: RunCommand): void {
  program
    .command("search")
    .summary("find the skills that suit a message")
    .description(
      "Find the skills that suit a message, as a session would: how likely each is wanted, why, and what would be done.",
    )
    .argument("<text...>", "what somebody would say")
    .addOption(
      new Option("--limit <n>", "how many at most, up to 50 (default: 5)").argParser((text: string) => {
        const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
        if (limit >= 1 && limit <= MAX_RESULTS) return limit;
        throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_RESULTS}.`);
      }),
    )
    .option("--files <path...>", "files at hand, relative to the workspace")
    .addHelpText(
      "after",
      helpExamples(
        'skillet search "turn this contract.pdf into text"',
        "skillet search --limit 10 deploy to production",
        'skillet search "fix the types" --files src/main.ts',
      ),
    )
    .action((words, options) =>
      run(async (context) => (await import("../commands/search.ts")).search(context, { ...options, words })),
    );
}

const DAY_MS = 86_400_000;

/** A day (`2026-11-01`, from its beginning in UTC) or a number of days before now (`30d`), in milliseconds since 1970. */
export function parseSince(text: string, now: number): number | undefined {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return now - Number(days) * DAY_MS;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = Date.parse(`${text}T00:00:00Z`);
  // The thirtieth of February is taken for a day in March.
  return Number.isFinite(day) && new Date(day).toISOString().startsWith(text) ? day : undefined;
}
