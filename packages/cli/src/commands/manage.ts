import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { printJson } from "../output/json-document.ts";
import { pad } from "../ui/fit-text.ts";

/** The one-command spelling of `enable`, `disable` and the list of plugins. */
export async function manage(
  context: CommandContext,
  options: { readonly action?: string; readonly names: readonly string[]; readonly project?: boolean },
): Promise<ExitCode> {
  const { action, names, project = false } = options;
  if (project && action !== "enable" && action !== "disable") {
    throw new CliError("usage", "--project goes with enable and disable only.", {
      hints: ["For example: skillet manage disable gh --project"],
    });
  }
  switch (action) {
    case undefined:
      return printActions(context);
    case "list": {
      const { show } = await import("./show.ts");
      return show(context, { names, scope: ["plugin"], nothing: "No skills are installed as plugins." });
    }
    case "enable":
    case "disable": {
      if (names.length === 0) {
        throw new CliError("usage", `manage ${action} needs the name of a skill.`, {
          hints: [`For example: skillet manage ${action} gh`, "See what there is: skillet show"],
        });
      }
      const { toggleSkills } = await import("../toggle/toggle-skills.ts");
      const layer = project ? "project" : "user";
      return toggleSkills(context, { names, enabled: action === "enable", layer });
    }
    default:
      throw new CliError("usage", `There is no action '${action}'.`, {
        hints: [`Actions: ${ACTIONS.map(({ name }) => name).join(", ")}`],
      });
  }
}

const ACTIONS = [
  { name: "enable", usage: "enable <name...>", what: "offer skills to models again" },
  { name: "disable", usage: "disable <name...>", what: "stop offering skills" },
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
