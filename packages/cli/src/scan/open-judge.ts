import { createOpenAiJudge, type Judge } from "@skillet/scan";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { readModelSettings } from "../read-model-settings.ts";

/** The second opinion that the user's configuration names; ends the command where it names none. */
export async function openJudge(context: CommandContext): Promise<Judge> {
  const settings = await readModelSettings(context, "scan.judge");
  if (settings === undefined)
    throw new CliError("judge-not-configured", "--judge needs a model to ask, and the config names none.", {
      hints: [
        "For example:",
        "  skillet config set scan.judge.endpoint http://127.0.0.1:11434/v1",
        "  skillet config set scan.judge.model qwen3",
      ],
    });
  const { endpoint, model, variable, apiKey } = settings;
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
