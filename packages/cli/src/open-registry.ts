import { stat } from "node:fs/promises";
import { openSkills, type Skills } from "@skillet/core";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";

/** Opens the skills that a command line means, and refuses folders that are not there. */
export async function openRegistry(context: CommandContext): Promise<Skills> {
  await Promise.all([requireFolder(context.workspace), ...context.skillsRoots.map(requireFolder)]);
  return openSkills({
    workspace: context.workspace,
    environment: context.environment,
    ...(context.skillsRoots.length > 0 && { roots: context.skillsRoots }),
  });
}

async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (found?.isDirectory() === true) return;
  const message = found === undefined ? `There is no folder ${path}.` : `${path} is not a folder.`;
  throw new CliError("folder-missing", message, { hints: ["Pass a folder that exists."], details: { path } });
}
