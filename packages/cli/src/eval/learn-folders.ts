import { join, resolve } from "node:path";
import { readTrust, trustOf } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import { openWorkspace } from "../open-workspace.ts";

/** Where runs are read from. */
export interface LearnFolders {
  readonly folders: readonly string[];
  /** A project's runs that are not read unless they are named, because nobody trusts the project. */
  readonly untrusted?: string;
}

/**
 * The folders of runs that are meant: those that were named, else the user's own and those of a trusted project.
 *
 * Whoever sends a project can put runs in it that nobody ever had, to keep other skills from being offered.
 */
export function learnFolders(context: CommandContext, named: readonly string[] | undefined): LearnFolders {
  if (named !== undefined) return { folders: named.map((folder) => resolve(context.workspace, folder)) };
  const { home, project } = openWorkspace(context);
  const own = join(home, "runs");
  if (project === undefined) return { folders: [own] };
  const ofProject = join(project.root, ".skillet", "runs");
  if (ofProject === own) return { folders: [own] };
  return trustOf(readTrust(home), project.root).trusted
    ? { folders: [own, ofProject] }
    : { folders: [own], untrusted: ofProject };
}
