import type { ChatModel } from "@skillet/author";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { readModelSettings } from "../read-model-settings.ts";
import { loadSelecting } from "../select/load-selecting.ts";

/** The model that the user's configuration names for evals; undefined where it names none. */
export async function openEvalModel(context: CommandContext): Promise<ChatModel | undefined> {
  const settings = await readModelSettings(context, "eval.model");
  if (settings === undefined) return undefined;
  const { endpoint, model, variable, apiKey } = settings;
  if (variable !== undefined && apiKey === undefined)
    throw new CliError(
      "eval-key-missing",
      `The key for the model of trigger evals is to be in ${variable}, which is not set.`,
      {
        hints: [`Set ${variable}, change eval.model.apiKeyEnv, or ask the selector alone: --by selector`],
        details: { variable },
      },
    );
  return loadSelecting().createChatModel({ endpoint, model, ...(apiKey !== undefined && { apiKey }) });
}

/** The same where somebody asked for the model by name. */
export async function requireEvalModel(context: CommandContext): Promise<ChatModel> {
  const model = await openEvalModel(context);
  if (model !== undefined) return model;
  throw noEvalModel("--by");
}

/** What ends a command whose options need a model where the config names none. */
export function noEvalModel(option: string): CliError {
  return new CliError(
    "eval-model-not-configured",
    `${option} needs a model to ask, and the config names none.`,
    {
      hints: [
        "For example:",
        "  skillet config set eval.model.endpoint http://127.0.0.1:11434/v1",
        "  skillet config set eval.model.model qwen3",
      ],
    },
  );
}
