import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "../cli-error.ts";
import { defineEval, defineScan, defineSearch } from "./define-eval.ts";
import { defineHub } from "./define-hub.ts";
import { defineSession } from "./define-session.ts";
import { helpExamples, type RunCommand } from "./program.ts";

const SCOPES = ["explicit", "organisation", "plugin", "project", "claude", "user", "bundled"];
const STATES = ["enabled", "disabled", "unavailable", "untrusted", "shadowed"];

/** Commands that are defined together, and everything that they can be called by. */
interface Definition {
  readonly group: string;
  readonly names: readonly string[];
  readonly define: (program: Command, run: RunCommand) => void;
}

const HUB_NAMES =
  "install add update remove uninstall rm outdated verify history rollback pin unpin allow audit publish".split(
    " ",
  );

const DEFINITIONS: readonly Definition[] = [
  { group: "Look:", names: ["show", "list", "ls"], define: defineShow },
  { group: "Look:", names: ["explain"], define: defineExplain },
  { group: "Look:", names: ["search"], define: defineSearch },
  {
    group: "Sessions:",
    names: ["catalog", "activate", "read", "check-tool", "records", "run"],
    define: defineSession,
  },
  { group: "Check:", names: ["validate"], define: defineValidate },
  { group: "Check:", names: ["scan"], define: defineScan },
  { group: "Check:", names: ["eval"], define: defineEval },
  { group: "Check:", names: ["doctor"], define: defineDoctor },
  { group: "Install:", names: HUB_NAMES, define: defineHub },
  { group: "Manage:", names: ["enable", "disable"], define: defineToggles },
  { group: "Manage:", names: ["trust"], define: defineTrust },
  { group: "Manage:", names: ["config"], define: defineConfig },
  { group: "Manage:", names: ["manage"], define: defineManage },
  { group: "Help:", names: ["help"], define: defineHelp },
  { group: "Help:", names: ["version"], define: defineVersion },
];

/**
 * Adds commands to the program; each loads its own code when it is called.
 *
 * With a command line, only those whose names are in it, since defining all of them takes as long as finding 50 skills.
 */
export function defineCommands(program: Command, run: RunCommand, argv: readonly string[] = []): void {
  const named = DEFINITIONS.filter(({ names }) => names.some((name) => argv.includes(name)));
  const defined = named.length === 0 || argv.includes("help") ? DEFINITIONS : named;
  for (const { group, define } of defined) {
    program.commandsGroup(group);
    define(program, run);
  }
}

function defineShow(program: Command, run: RunCommand): void {
  program
    .command("show")
    .aliases(["list", "ls"])
    .summary("list skills and whether they are offered")
    .description("List skills by where they were found: whether each is offered, why not, and what it costs.")
    .argument("[name...]", "only these skills")
    .addOption(repeatable("--scope <scope>", "only skills found there", SCOPES))
    .addOption(repeatable("--state <state>", "only skills in that state", STATES))
    .option("--search <text>", "only skills whose name, description or tags contain the text")
    .option("--long", "show whole descriptions and paths")
    .addHelpText(
      "after",
      helpExamples(
        "skillet show",
        "skillet show --state unavailable --state disabled",
        "skillet show --search pdf --long",
      ),
    )
    .action((names, options) =>
      run(async (context) => (await import("../commands/show.ts")).show(context, { ...options, names })),
    );
}

function defineExplain(program: Command, run: RunCommand): void {
  program
    .command("explain")
    .summary("say why a skill is or is not offered")
    .description(
      "Say where a skill was found, what it shadows, what it needs, and why it is or is not offered.",
    )
    .argument("<name>", "a skill's name, qualified name, folder name or path")
    .addHelpText("after", helpExamples("skillet explain gh", "skillet explain user:pdf --json"))
    .action((name) =>
      run(async (context) => (await import("../commands/explain.ts")).explain(context, { name })),
    );
}

function defineValidate(program: Command, run: RunCommand): void {
  program
    .command("validate")
    .summary("check skills against the specification")
    .description(
      "Check SKILL.md files, skill folders or folders of skills against the Agent Skills specification.",
    )
    .argument("[path...]", "what to check; the working directory unless given")
    .option("--fix", "apply the repairs that cannot change the meaning")
    .option("--dry-run", "with --fix: show the repairs, write nothing")
    .option("--quiet", "show errors only")
    .option("--ref-compat", "answer exactly as the reference validator does")
    .addHelpText(
      "after",
      helpExamples(
        "skillet validate .",
        "skillet validate skills/ --fix --dry-run",
        "skillet validate --ref-compat skills/pdf",
      ),
    )
    .action((paths, options) =>
      run(async (context) =>
        (await import("../commands/validate.ts")).validate(context, { ...options, paths }),
      ),
    );
}

function defineDoctor(program: Command, run: RunCommand): void {
  program
    .command("doctor")
    .summary("check the installation and everything it reads")
    .description(
      "Check Node, folders, config, trust, cache, the audit log, the sandbox and every skill, and say what to do.",
    )
    .addHelpText("after", helpExamples("skillet doctor", "skillet doctor --json"))
    .action(() => run(async (context) => (await import("../commands/doctor.ts")).doctor(context)));
}

function defineToggles(program: Command, run: RunCommand): void {
  program
    .command("enable")
    .summary("offer skills again")
    .description("Offer skills to models again, by writing your config.")
    .argument("<name...>", "skills to enable: names, qualified names or paths")
    .option("--project", "take back what the project's config disables, instead of writing yours")
    .addHelpText("after", helpExamples("skillet enable gh", "skillet enable deploy --project"))
    .action((names, options) =>
      run(async (context) => (await import("../commands/toggle.ts")).enable(context, { ...options, names })),
    );
  program
    .command("disable")
    .summary("stop offering skills")
    .description("Stop offering skills to models, by writing your config or the project's.")
    .argument("<name...>", "skills to disable: names, qualified names or paths")
    .option("--project", "write the project's config instead of yours")
    .addHelpText("after", helpExamples("skillet disable gh", "skillet disable deploy --project"))
    .action((names, options) =>
      run(async (context) => (await import("../commands/toggle.ts")).disable(context, { ...options, names })),
    );
}

function defineTrust(program: Command, run: RunCommand): void {
  program
    .command("trust")
    .summary("trust the skills of a project folder, or a skill that a scan warns of")
    .description(
      "Show the skills that a project folder holds, or what a scan found in one skill, and, on a yes, let them be offered to models.",
    )
    .argument("[dir]", "the folder; the working directory's project unless given")
    .option("-y, --yes", "do not ask")
    .option("--revoke", "stop trusting the folder")
    .option("--list", "list the folders that are trusted and the skills that are approved")
    .option(
      "--approve <skill>",
      "let a skill be offered that a scan warns of, as long as its files stay as they are",
    )
    .option("--force", "with --approve: also if the scan blocks it, where that can be overridden")
    .option("--withdraw <skill>", "take an approval back")
    .addHelpText(
      "after",
      helpExamples("skillet trust", "skillet trust ../service --yes", "skillet trust --approve deploy"),
    )
    .action((directory, options) =>
      run(async (context) =>
        (await import("../commands/trust.ts")).trust(context, { ...options, directory }),
      ),
    );
}

function defineManage(program: Command, run: RunCommand): void {
  program
    .command("manage")
    .summary("the same as enable, disable, update, remove and show, in one command")
    .description(
      "Enable, disable, update or remove skills, or list installed plugins; without an action, say what there is.",
    )
    .argument("[action]", "enable, disable, update, remove or list")
    .argument("[name...]", "skills to change")
    .option("--project", "the project's instead of yours")
    .option("-y, --yes", "with update and remove: do not ask the plain question")
    .option("--dry-run", "with update and remove: show everything, write nothing")
    .addHelpText(
      "after",
      helpExamples("skillet manage", "skillet manage disable gh", "skillet manage update my-plugin"),
    )
    .action((action, names, options) =>
      run(async (context) =>
        (await import("../commands/manage.ts")).manage(context, { ...options, action, names }),
      ),
    );
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
        if (next === undefined) {
          throw new CliError("usage", `There is no command '${[...path].join(" ")}'.`, {
            hints: ["See: skillet help"],
          });
        }
        command = next;
      }
      command.outputHelp();
    });
}

function defineVersion(program: Command, run: RunCommand): void {
  program
    .command("version")
    .summary("print the version")
    .description("Print the version.")
    .action(() => run(async (context) => (await import("../commands/version.ts")).version(context)));
}

// One value each time: with several after one flag, names of skills would be taken for values.
function repeatable(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, `${description} (repeatable): ${choices.join(", ")}`).argParser(
    (value: string, previous: readonly string[] = []) => {
      if (choices.includes(value)) return [...previous, value];
      throw new InvalidArgumentError(`It can be ${choices.join(", ")}.`);
    },
  );
}

/** Adds `config` and its actions. */
function defineConfig(program: Command, run: RunCommand): void {
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
        return run(async (context) => (await import("../commands/config.ts")).configList(context));
      }
      throw new CliError("usage", `There is no action '${action}'.`, {
        hints: ["Actions: list, get, set, unset, path"],
      });
    });
  const project = "the project's config instead of yours";
  config
    .command("list")
    .description("List every value, and the layer and file that set it.")
    .action(() => run(async (context) => (await import("../commands/config.ts")).configList(context)));
  config
    .command("get")
    .description("Print one value.")
    .argument("<key>", "a dotted key, such as skills.userDir")
    .action((key) =>
      run(async (context) => (await import("../commands/config.ts")).configGet(context, { key })),
    );
  config
    .command("set")
    .description("Write one value.")
    .argument("<key>", "a dotted key, such as skills.userDir")
    .argument("<value>", "a YAML value: text, a number, true, or a list such as '[a, b]'")
    .option("--project", project)
    .action((key, value, options) =>
      run(async (context) =>
        (await import("../commands/config.ts")).configSet(context, { ...options, key, value }),
      ),
    );
  config
    .command("unset")
    .description("Remove one value, so that a lower layer or the default holds.")
    .argument("<key>", "a dotted key, such as skills.userDir")
    .option("--project", project)
    .action((key, options) =>
      run(async (context) =>
        (await import("../commands/config.ts")).configUnset(context, { ...options, key }),
      ),
    );
  config
    .command("path")
    .description("Print where the config file lies.")
    .option("--project", project)
    .action((options) =>
      run(async (context) => (await import("../commands/config.ts")).configPath(context, options)),
    );
}
