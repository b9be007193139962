import { join } from "node:path";
import { type Config, type LoadedConfig, loadConfig, resolveHome } from "@skillet/core";
import { findProjectRoot, readTrust, trustOf } from "@skillet/core/internal";
import type { ModelSettings } from "@skillet/kit/chat";
import { canonicalPath } from "@skillet/kit/files";
import { present } from "@skillet/kit/json";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";

export interface Workspace {
  readonly home: string;
  readonly userHome: string;
  /** The project's folder; outside a project, the working directory. */
  readonly root: string;
  /** The working directory and its parents, up to the root of the project. */
  readonly folders: readonly string[];
  readonly project?: { readonly root: string };
  /** Where the locks are or would be. */
  readonly locks: Readonly<Record<"user" | "project", string>>;
  /** Reads every layer, or all but the project's; throws if a layer or the trust store is invalid. */
  config(options?: { readonly without?: "project" }): Promise<LoadedConfig>;
}

/** Works even if the folder does not exist or the trust store is broken. */
export function openWorkspace({
  environment,
  workspace,
}: Pick<CommandContext, "environment" | "workspace">): Workspace {
  const { home, userHome } = resolveHome(environment);
  const { root, folders } = findProjectRoot(canonicalPath(workspace), canonicalPath(userHome));
  const project = folders.length > 0 ? { root } : undefined;
  return {
    ...{ home, userHome, root, folders },
    ...(project && { project }),
    locks: { user: join(home, "lock.json"), project: join(root, "skillet.lock") },
    config: async ({ without } = {}) => {
      const read = without === "project" ? undefined : project;
      const projectTrusted = read !== undefined && trustOf(readTrust(home), root).trusted;
      const workspaceRoot = read && { workspaceRoot: root };
      return loadConfig({ home, userHome, environment, projectTrusted, ...workspaceRoot });
    },
  };
}

export function noProject(
  workspace: string,
  hint = "Run it in a project's folder, or leave --project out for your own config.",
): CliError {
  return new CliError("no-project", `${workspace} is not in a project.`, { hints: [hint] });
}

/** A project must not decide how it is judged, which hosts are contacted, or who gets skills and keys. */
export async function ownConfig(context: CommandContext): Promise<Config> {
  return (await openWorkspace(context).config({ without: "project" })).config;
}

type ModelConfig = Config["eval"]["model"];

const MODELS = {
  "eval.model": {
    of: (config: Config): ModelConfig => config.eval.model,
    noKey: "eval-key-missing",
    none: "eval-model-not-configured",
    user: "the model of trigger evals",
    or: ", or use the selector alone: --by selector",
  },
  "agent.model": {
    of: (config: Config): ModelConfig => config.agent.model,
    noKey: "agent-key-missing",
    none: "agent-model-not-configured",
    user: "the model of the agent",
    or: "",
  },
  "scan.judge": {
    of: (config: Config): ModelConfig => config.scan.judge,
    noKey: "judge-key-missing",
    none: "judge-not-configured",
    user: "--judge",
    or: "",
  },
} as const;

type ModelKey = keyof typeof MODELS;

/** Returns the model that the user's own config has for this key; undefined if there is none. */
export async function readModelSettings(
  context: CommandContext,
  key: ModelKey,
): Promise<ModelSettings | undefined> {
  const { of, noKey, user, or } = MODELS[key];
  const { endpoint, model, protocol, apiKeyEnv: variable } = of(await ownConfig(context));
  if (endpoint === undefined || model === undefined) return undefined;
  const apiKey = variable === undefined ? undefined : context.environment[variable];
  if (variable === undefined || apiKey) return present({ endpoint, model, protocol, apiKey });
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
