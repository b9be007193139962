import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import {
  type ConfigEntry,
  type Diagnostic,
  findProjectRoot,
  listConfigValues,
  loadConfig,
  readTrust,
  trustOf,
} from "@skillet/core";
import type { CommandContext } from "./command-context.ts";

/** Skillet's folder, the project and the configuration, without looking for skills. */
export interface Workspace {
  readonly home: string;
  readonly project?: { readonly root: string };
  /** Reads every layer; throws when one cannot be understood. */
  config(): Promise<{ readonly values: readonly ConfigEntry[]; readonly diagnostics: readonly Diagnostic[] }>;
}

/** Finds the places that a command line means. */
export function openWorkspace(context: CommandContext): Workspace {
  const { environment, workspace } = context;
  const userHome = environment.HOME || environment.USERPROFILE || homedir();
  const home = environment.SKILLET_HOME ? resolve(environment.SKILLET_HOME) : join(userHome, ".skillet");
  const { root, folders } = findProjectRoot(canonical(workspace), canonical(userHome));
  const project = folders.length > 0 ? { root } : undefined;
  return {
    home,
    ...(project && { project }),
    config: async () => {
      const projectTrusted = project !== undefined && trustOf(readTrust(home), root).trusted;
      const loaded = loadConfig({
        home,
        environment,
        projectTrusted,
        ...(project && { workspaceRoot: root }),
      });
      return { values: listConfigValues(loaded), diagnostics: loaded.diagnostics };
    },
  };
}

// Trust is recorded for the real place, whichever links lead there.
function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return resolve(path);
    throw error;
  }
}
