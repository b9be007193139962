import { type Command, Option } from "commander";
import { helpExamples } from "./help-examples.ts";
import type { RunCommand } from "./program.ts";

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
      run(async (context) => (await import("./commands/scan.ts")).scan(context, { ...options, words })),
    );
}
