import { type Command, InvalidArgumentError, Option } from "commander";
import { helpExamples } from "./help-examples.ts";
import type { RunCommand } from "./program.ts";

/** What a run may take at most; written here so that help need not load the runner. */
const MAX_TIMEOUT_MS = 600_000;
const SANDBOXES = "bubblewrap, seatbelt, ssh:DESTINATION or none";

/** Adds the command that runs a skill's script. */
export function defineRun(program: Command, run: RunCommand): void {
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
        (await import("./commands/run.ts")).runScript(context, { ...options, name, path, args }),
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
