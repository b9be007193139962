import { join } from "node:path";
import type { Skills } from "@skillet/core";
import { type Lock, readLock } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext } from "../command-context.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Where a project's lock says that a skill came from: a report of whoever wrote the project, and never a reason to trust. */
export type ProjectSource = Pick<NonNullable<ReturnType<Lock["skills"]["get"]>>, "source" | "resolved"> & {
  readonly name: string;
};

/** Looks a skill's file up in the lock of the project that it lies in. */
export async function projectSource(
  { terminal }: Pick<CommandContext, "terminal">,
  { project }: Pick<Skills, "project">,
  path: string,
): Promise<ProjectSource | undefined> {
  if (project === undefined) return undefined;
  try {
    const { skills } = await readLock(join(project.root, "skillet.lock"));
    for (const [name, { source, resolved, targets }] of skills)
      if (targets.some((target) => path.startsWith(`${join(project.root, target.path)}/`)))
        return { name, source, resolved };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    terminal.warn(stripControl(error.message));
  }
  return undefined;
}
