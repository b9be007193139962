import { resolveHome } from "@skillet/core";
import { folderIdentity, projectSkills, trustSkills } from "@skillet/core/internal";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";

type ProjectSkill = Awaited<ReturnType<typeof projectSkills>>[number];

/**
 * Trusts what a person has just put into a project, byte for byte; a folder that is not trusted stays so.
 *
 * What the person made in `made` stays trusted through edits, as long as it is that folder.
 */
export async function trustPlaced(
  context: CommandContext,
  root: string,
  isPlaced: (path: ProjectSkill[0], skill: ProjectSkill[1]) => boolean,
  made?: string,
): Promise<void> {
  const { home } = resolveHome(context.environment);
  const held = await projectSkills(await openRegistry({ ...context, skillsRoots: [] }));
  const own = made === undefined ? undefined : folderIdentity(made);
  for (const [path, skill] of held.filter((one) => isPlaced(...one))) {
    const { tree = skill.digest } = skill;
    const decision = { action: "trust", path: root, skill: path, digest: tree, decision: "allow" } as const;
    await recordAndApply(home, decision, () =>
      trustSkills({ home, projectRoot: root, skills: [[path, { ...skill, own }]], clock: Date.now }),
    );
  }
}
