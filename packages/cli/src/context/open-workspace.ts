import { loadConfig, resolveHome } from "@skillet/core";
import {
  type ConfigEntry,
  findProjectRoot,
  listConfigValues,
  readTrust,
  trustOf,
} from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import type { CommandContext } from "./command-context.ts";

/** Skillet's folder, the project and the configuration, without looking for skills. */
export interface Workspace {
  readonly home: string;
  readonly project?: { readonly root: string };
  /** Reads every layer, or all but the project's; throws when one, or the trust store, cannot be understood. */
  config(options?: {
    readonly without?: "project";
  }): Promise<{ readonly values: readonly ConfigEntry[]; readonly diagnostics: readonly Diagnostic[] }>;
}

/** Finds the places that a command line means; a folder that is gone or a broken store does not stop it. */
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

/** A list of the user's own configuration: a project has no say in how it is judged, or in whom to talk to. */
export async function ownList(context: CommandContext, wanted: string): Promise<readonly string[]> {
  const { values } = await openWorkspace(context).config({ without: "project" });
  const value = values.find(({ key }) => key === wanted)?.value;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

interface ModelSettings {
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
