import { existsSync } from "node:fs";
import { join } from "node:path";
import { resolveHome, type Skills } from "@skillet/core";
import {
  folderIdentity,
  projectSkills,
  readTrust,
  trustOf,
  trustSkills,
  untrustSkills,
} from "@skillet/core/internal";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";

type ProjectSkill = Awaited<ReturnType<typeof projectSkills>>[number];

/**
 * Trusts, byte for byte, what the user has just put into a project; an untrusted folder stays untrusted. A
 * skill that the user created in `made` stays trusted through edits, as long as it is that folder.
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

/** Returns the places of a project's trusted skills that exist now. */
export function trustedPlaces({ home, project }: Pick<Skills, "home" | "project">): readonly string[] {
  if (project === undefined) return [];
  const places = [...(trustOf(readTrust(home), project.root).skills?.keys() ?? [])];
  return places.filter((place) => existsSync(join(project.root, place)));
}

/** Revokes trust in those of `places` that were removed since. */
export async function untrustRemoved(
  skills: Pick<Skills, "home" | "project">,
  places: readonly string[],
): Promise<void> {
  const { home, project } = skills;
  if (project === undefined) return;
  const { root } = project;
  const here = trustedPlaces(skills);
  for (const place of places.filter((one) => !here.includes(one)))
    await recordAndApply(home, { action: "untrust", path: root, skill: place, decision: "allow" }, () =>
      untrustSkills({ home, projectRoot: root, skills: [place] }),
    );
}
