import type { CommandContext } from "./command-context.ts";
import { openWorkspace } from "./open-workspace.ts";

/** A model that a configuration names, and the variable that its key is to be in. */
export interface ModelSettings {
  readonly endpoint: string;
  readonly model: string;
  readonly variable: string | undefined;
  /** What the variable holds; undefined where that is nothing. */
  readonly apiKey: string | undefined;
}

/** The model that the user's own configuration names below a key; undefined where it names none. */
export async function readModelSettings(
  context: CommandContext,
  key: "eval.model" | "scan.judge",
): Promise<ModelSettings | undefined> {
  // A project must not say where skills and keys are sent.
  const { values } = await openWorkspace(context).config({ without: "project" });
  const setting = (name: string): string | undefined => {
    const value = values.find((entry) => entry.key === `${key}.${name}`)?.value;
    return typeof value === "string" ? value : undefined;
  };
  const endpoint = setting("endpoint");
  const model = setting("model");
  const variable = setting("apiKeyEnv");
  if (endpoint === undefined || model === undefined) return undefined;
  const held = variable === undefined ? undefined : context.environment[variable];
  return { endpoint, model, variable, apiKey: held === "" ? undefined : held };
}
