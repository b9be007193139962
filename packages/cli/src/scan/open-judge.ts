import { createOpenAiJudge, type Judge } from "@skillet/scan";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { openWorkspace } from "../open-workspace.ts";

/** The second opinion that the user's configuration names; ends the command where it names none. */
export async function openJudge(context: CommandContext): Promise<Judge> {
  const { values } = await openWorkspace(context).config({ without: "project" });
  const setting = (key: string): string | undefined => {
    const value = values.find((entry) => entry.key === `scan.judge.${key}`)?.value;
    return typeof value === "string" ? value : undefined;
  };
  const endpoint = setting("endpoint");
  const model = setting("model");
  const variable = setting("apiKeyEnv");
  if (endpoint === undefined || model === undefined)
    throw new CliError("judge-not-configured", "--judge needs a model to ask, and the config names none.", {
      hints: [
        "For example:",
        "  skillet config set scan.judge.endpoint http://127.0.0.1:11434/v1",
        "  skillet config set scan.judge.model qwen3",
      ],
    });
  const apiKey = variable === undefined ? undefined : context.environment[variable];
  if (variable !== undefined && apiKey === undefined)
    throw new CliError(
      "judge-key-missing",
      `The key for --judge is to be in ${variable}, which is not set.`,
      {
        hints: [`Set ${variable}, or change scan.judge.apiKeyEnv.`],
        details: { variable },
      },
    );
  return createOpenAiJudge({ endpoint, model, ...(apiKey !== undefined && { apiKey }) });
}
