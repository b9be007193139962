import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { helpExamples } from "./help-examples.ts";
import type { RunCommand } from "./program.ts";

/** Adds `config` and its actions. */
export function defineConfig(program: Command, run: RunCommand): void {
  const config = program
    .command("config")
    .summary("read and write the configuration")
    .description(
      "Read and write the configuration; `skillet config` alone lists every value and where it was set.",
    )
    .usage("[list|get|set|unset|path] [options]")
    .addHelpText(
      "after",
      helpExamples(
        "skillet config list",
        "skillet config get skills.userDir",
        "skillet config set skills.scriptTimeout 60000",
      ),
    )
    .allowExcessArguments()
    .action((_options, command: Command) => {
      const [action] = command.args;
      if (action === undefined) {
        return run(async (context) => (await import("./commands/config.ts")).configList(context));
      }
      throw new CliError("usage", `There is no action '${action}'.`, {
        hints: ["Actions: list, get, set, unset, path"],
      });
    });
  const project = "the project's config instead of yours";
  config
    .command("list")
    .description("List every value, and the layer and file that set it.")
    .action(() => run(async (context) => (await import("./commands/config.ts")).configList(context)));
  config
    .command("get")
    .description("Print one value.")
    .argument("<key>", "a dotted key, such as skills.userDir")
    .action((key) =>
      run(async (context) => (await import("./commands/config.ts")).configGet(context, { key })),
    );
  config
    .command("set")
    .description("Write one value.")
    .argument("<key>", "a dotted key, such as skills.userDir")
    .argument("<value>", "a YAML value: text, a number, true, or a list such as '[a, b]'")
    .option("--project", project)
    .action((key, value, options) =>
      run(async (context) =>
        (await import("./commands/config.ts")).configSet(context, { ...options, key, value }),
      ),
    );
  config
    .command("unset")
    .description("Remove one value, so that a lower layer or the default holds.")
    .argument("<key>", "a dotted key, such as skills.userDir")
    .option("--project", project)
    .action((key, options) =>
      run(async (context) =>
        (await import("./commands/config.ts")).configUnset(context, { ...options, key }),
      ),
    );
  config
    .command("path")
    .description("Print where the config file lies.")
    .option("--project", project)
    .action((options) =>
      run(async (context) => (await import("./commands/config.ts")).configPath(context, options)),
    );
}
