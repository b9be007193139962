import { stat } from "node:fs/promises";
import { openSkills, resolveHome, type Skills } from "@skillet/core";
import { linkedFolders } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { RULE_SET } from "@skillet/scan";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { openVetter } from "./scan/open-vetter.ts";
import { stripControl } from "./ui/strip-control.ts";

/** Opens the skills that a command line means, and refuses folders that are not there. */
export async function openRegistry(
  context: CommandContext,
  /** Without its cache a search takes longer, and leaves nothing behind. */
  { cached = true }: { readonly cached?: boolean } = {},
): Promise<Skills> {
  await requireFolders(context);
  let ruleSet = RULE_SET;
  const linked = readLinkedFolders(context);
  const skills: Skills = await openSkills({
    workspace: context.workspace,
    environment: context.environment,
    ...(context.skillsRoots.length > 0 && { roots: context.skillsRoots }),
    ...(!cached && { cacheDirectory: false }),
    ...(linked.length > 0 && { linkedFolders: linked }),
    vetter: {
      // The scanner's own until the user's are read, which is before anything is judged.
      get ruleSet() {
        return ruleSet;
      },
      // Made when the first session asks: listing skills judges none.
      vet: async (judged, options) => {
        const vetter = await openVetter(context, skills);
        ruleSet = vetter.ruleSet;
        return vetter.vet(judged, options);
      },
    },
  });
  return skills;
}

// A lock that cannot be read is told by the commands that change it; here it only means that no link is followed.
function readLinkedFolders({ environment, terminal }: CommandContext): readonly string[] {
  try {
    return linkedFolders(resolveHome(environment).home);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    terminal.warn(stripControl(error.message));
    return [];
  }
}

/** Ends a command whose options name folders that are not there. */
export async function requireFolders({ workspace, skillsRoots }: CommandContext): Promise<void> {
  await Promise.all([workspace, ...skillsRoots].map(requireFolder));
}

async function requireFolder(path: string): Promise<void> {
  const problem = await folderProblem(path);
  if (problem === undefined) return;
  throw new CliError("folder-missing", problem, {
    hints: ["Pass a folder that exists and that you may enter."],
    details: { path },
  });
}

async function folderProblem(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? undefined : `${path} is not a folder.`;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return `There is no folder ${path}.`;
    if (["EACCES", "ELOOP", "ENAMETOOLONG"].includes(code)) return `${path} cannot be entered (${code}).`;
    throw error;
  }
}
