import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { printJson } from "../ui/json-document.ts";
import { pad } from "../ui/text.ts";

/** An action, and what goes with it. */
export interface ManageOptions {
  readonly action?: string;
  readonly names: readonly string[];
  readonly project?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** The one-command spelling of `enable`, `disable`, `update`, `remove` and the list of plugins. */
export async function manage(context: CommandContext, options: ManageOptions): Promise<ExitCode> {
  const { action, names, project = false } = options;
  checkOptions(options);
  switch (action) {
    case undefined:
      return printActions(context);
    case "list": {
      const { show } = await import("./show.ts");
      return show(context, { names, scope: ["plugin"], nothing: "No skills are installed as plugins." });
    }
    case "update": {
      const { update } = await import("./update.ts");
      return update(context, options);
    }
    case "remove": {
      requireNames(action, names);
      const { remove } = await import("./remove.ts");
      return remove(context, options);
    }
    case "enable":
    case "disable": {
      requireNames(action, names);
      const { toggleSkills } = await import("./toggle.ts");
      const layer = project ? "project" : "user";
      return toggleSkills(context, { names, enabled: action === "enable", layer });
    }
    default:
      throw new CliError("usage", `There is no action '${action}'.`, {
        hints: [`Actions: ${ACTIONS.map(({ name }) => name).join(", ")}`],
      });
  }
}

function checkOptions({ action, project = false, yes, dryRun }: ManageOptions): void {
  if (project && (action === undefined || action === "list"))
    throw new CliError("usage", "--project goes with enable, disable, update and remove only.", {
      hints: ["For example: skillet manage disable gh --project"],
    });
  if ((yes ?? dryRun) !== undefined && action !== "update" && action !== "remove")
    throw new CliError("usage", "--yes and --dry-run go with update and remove only.", {
      hints: ["For example: skillet manage update my-plugin --dry-run"],
    });
}

function requireNames(action: string, names: readonly string[]): void {
  if (names.length > 0) return;
  throw new CliError("usage", `manage ${action} needs the name of a skill.`, {
    hints: [`For example: skillet manage ${action} gh`, "See what there is: skillet show"],
  });
}

const ACTIONS = [
  { name: "enable", usage: "enable <name...>", what: "offer skills to models again" },
  { name: "disable", usage: "disable <name...>", what: "stop offering skills" },
  { name: "update", usage: "update [name...]", what: "bring installed skills up to date" },
  { name: "remove", usage: "remove <name...>", what: "remove installed skills" },
  { name: "list", usage: "list", what: "list skills installed as plugins" },
] as const;

function printActions(context: CommandContext): ExitCode {
  const { terminal } = context;
  if (context.json) {
    printJson(terminal, {
      actions: ACTIONS.map(({ name, usage, what }) => ({ name, usage, description: what })),
    });
    return 0;
  }
  terminal.print(terminal.colours.bold("Actions"));
  const widest = Math.max(...ACTIONS.map(({ usage }) => usage.length));
  const fits = terminal.width >= widest + 19 + Math.max(...ACTIONS.map(({ what }) => what.length));
  for (const { usage, what } of ACTIONS) {
    const command = terminal.colours.cyan(`skillet manage ${fits ? pad(usage, widest) : usage}`);
    terminal.print(fits ? `  ${command}  ${what}` : `  ${command}\n      ${what}`);
  }
  return 0;
}
