import { refuseUsage, usageError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { pad } from "../ui/text.ts";

interface ManageOptions extends Flags<"project" | "yes" | "dryRun"> {
  readonly action?: string;
  readonly names: readonly string[];
}

const ACTIONS = [
  { name: "enable", usage: "enable <name...>", description: "offer skills to models again" },
  { name: "disable", usage: "disable <name...>", description: "stop offering skills" },
  { name: "update", usage: "update [name...]", description: "bring installed skills up to date" },
  { name: "remove", usage: "remove <name...>", description: "remove installed skills" },
  { name: "list", usage: "list", description: "list skills installed as plugins" },
] as const;

export async function manage(context: CommandContext, options: ManageOptions): Promise<ExitCode> {
  const { action, names, project = false, yes, dryRun } = options;
  const hasFlags = (yes ?? dryRun) !== undefined;
  if (action === undefined && !project && !hasFlags)
    return answer(context, { actions: ACTIONS }, () => actionLines(context));
  const needsNames = ["enable", "disable", "remove"].includes(action ?? "");
  refuseUsage("manage", [
    [
      project && (action === undefined || action === "list"),
      "--project works with enable, disable, update and remove only.",
      "For example: skillet manage disable gh --project",
    ],
    [
      hasFlags && (action === undefined || action === "list"),
      "--yes and --dry-run work with enable, disable, update and remove only.",
      "For example: skillet manage update my-plugin --dry-run",
    ],
    [
      needsNames && names.length === 0,
      `manage ${action} needs the name of a skill.`,
      `For example: skillet manage ${action} gh. See what there is: skillet show`,
    ],
  ]);
  switch (action) {
    case "list": {
      const { show } = await import("./show.ts");
      return show(context, { names, scope: ["plugin"], nothing: "No skills are installed as plugins." });
    }
    case "update":
      return (await import("./update.ts")).update(context, options);
    case "remove":
      return (await import("./remove.ts")).remove(context, options);
    case "enable":
      return (await import("./toggle.ts")).enable(context, options);
    case "disable":
      return (await import("./toggle.ts")).disable(context, options);
    default:
      throw usageError(
        "manage",
        `There is no action '${action}'.`,
        `Actions: ${ACTIONS.map(({ name }) => name).join(", ")}`,
      );
  }
}

function actionLines({ terminal: { colours, width } }: CommandContext): readonly string[] {
  const widest = Math.max(...ACTIONS.map(({ usage }) => usage.length));
  const fits = width >= widest + 19 + Math.max(...ACTIONS.map(({ description }) => description.length));
  const lines = ACTIONS.map(({ usage, description }) => {
    const command = colours.cyan(`skillet manage ${fits ? pad(usage, widest) : usage}`);
    return fits ? `  ${command}  ${description}` : `  ${command}\n      ${description}`;
  });
  return [colours.bold("Actions"), ...lines];
}
