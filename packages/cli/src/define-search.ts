import { type Command, InvalidArgumentError, Option } from "commander";
import { helpExamples } from "./help-examples.ts";
import type { RunCommand } from "./program.ts";

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
      run(async (context) => (await import("./commands/search.ts")).search(context, { ...options, words })),
    );
}
