import { loadConfig, resolveHome } from "@skillet/core";
import {
  type ConfigEntry,
  findProjectRoot,
  listConfigValues,
  readTrust,
  trustOf,
} from "@skillet/core/internal";
import type { ModelSettings } from "@skillet/kit/chat";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";

export interface Workspace {
  readonly home: string;
  readonly project?: { readonly root: string };
  /** Reads every layer, or all but the project's; throws when one, or the trust store, cannot be understood. */
  config(options?: {
    readonly without?: "project";
  }): Promise<{ readonly values: readonly ConfigEntry[]; readonly diagnostics: readonly Diagnostic[] }>;
}

/** Works even if the folder is gone or the trust store is broken. */
export function openWorkspace(context: CommandContext): Workspace {
  const { environment, workspace } = context;
  const { home, userHome } = resolveHome(environment);
  const { root, folders } = findProjectRoot(canonicalPath(workspace), canonicalPath(userHome));
  const project = folders.length > 0 ? { root } : undefined;
  return {
    home,
    ...(project && { project }),
    config: async ({ without } = {}) => {
      const read = without === "project" ? undefined : project;
      const projectTrusted = read !== undefined && trustOf(readTrust(home), root).trusted;
      const workspaceRoot = read && { workspaceRoot: root };
      const loaded = loadConfig({ home, userHome, environment, projectTrusted, ...workspaceRoot });
      return { values: listConfigValues(loaded), diagnostics: loaded.diagnostics };
    },
  };
}

export function noProject(
  workspace: string,
  hint = "Run it in a project's folder, or leave --project out for your own config.",
): CliError {
  return new CliError("no-project", `${workspace} is not in a project.`, { hints: [hint] });
}

/** A list of the user's own configuration: a project must not decide how it is judged, or which hosts are contacted. */
export async function ownList(context: CommandContext, wanted: string): Promise<readonly string[]> {
  const { values } = await openWorkspace(context).config({ without: "project" });
  const value = values.find(({ key }) => key === wanted)?.value;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

const MODELS = {
  "eval.model": {
    noKey: "eval-key-missing",
    none: "eval-model-not-configured",
    user: "the model of trigger evals",
    or: ", or use the selector alone: --by selector",
  },
  "agent.model": {
    noKey: "agent-key-missing",
    none: "agent-model-not-configured",
    user: "the model of the agent",
    or: "",
  },
  "scan.judge": { noKey: "judge-key-missing", none: "judge-not-configured", user: "--judge", or: "" },
} as const;

type ModelKey = keyof typeof MODELS;

/** The model that the user's own configuration names below a key; undefined where it names none. */
export async function readModelSettings(
  context: CommandContext,
  key: ModelKey,
): Promise<ModelSettings | undefined> {
  // A project must not say where skills and keys are sent.
  const { values } = await openWorkspace(context).config({ without: "project" });
  const setting = (name: string): string | undefined => {
    const value = values.find((entry) => entry.key === `${key}.${name}`)?.value;
    return typeof value === "string" ? value : undefined;
  };
  const [endpoint, model, variable] = [setting("endpoint"), setting("model"), setting("apiKeyEnv")];
  if (endpoint === undefined || model === undefined) return undefined;
  const protocol = setting("protocol") === "anthropic" ? ({ protocol: "anthropic" } as const) : {};
  if (variable === undefined) return { endpoint, model, ...protocol };
  const apiKey = context.environment[variable];
  if (apiKey !== undefined && apiKey !== "") return { endpoint, model, apiKey, ...protocol };
  const { noKey, user, or } = MODELS[key];
  throw new CliError(noKey, `The key for ${user} should be in ${variable}, which is not set.`, {
    hints: [`Set ${variable}, or change ${key}.apiKeyEnv${or}.`],
    details: { variable },
  });
}

export function modelMissing(key: ModelKey, option: string): CliError {
  return new CliError(MODELS[key].none, `${option} needs a model to ask, and the config names none.`, {
    hints: [
      "For example:",
      `  skillet config set ${key}.endpoint http://127.0.0.1:11434/v1`,
      `  skillet config set ${key}.model qwen3`,
    ],
  });
}
