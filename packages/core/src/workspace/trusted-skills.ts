import { dirname, relative, sep } from "node:path";
import { onRefusal } from "@skillet/kit/errors";
import { isInside } from "@skillet/kit/files";
import type { ResourceIndex } from "../registry/resource.ts";
import { needsTrust, type Skill } from "../registry/skill.ts";
import { placeOf, type RootTrust } from "../registry/skill-root.ts";
import type { FolderTrust, TrustedSkill } from "../trust/trust-store.ts";
import type { Skills } from "./skills.ts";

type ProjectSkills = Pick<Skills, "snapshot" | "project"> & {
  readonly reader: Pick<Skills["reader"], "indexResources">;
};

/**
 * A project's skills as they are now, in the form that `trustFolder` records; reads all of their files.
 *
 * A copy that the snapshot lists once appears at each of its places: approving one approves all.
 */
export async function projectSkills(skills: ProjectSkills): Promise<[path: string, skill: TrustedSkill][]> {
  const { project, snapshot } = skills;
  if (project === undefined) return [];
  const roots = snapshot.roots.filter(({ scope }) => needsTrust(scope));
  const isOfProject = (file: string): boolean => roots.some(({ path }) => isInside(file, path));
  const held: [string, TrustedSkill][] = [];
  for (const skill of snapshot.skills) {
    const files = [skill.path, ...skill.alsoAt].filter(isOfProject);
    if (files.length === 0) continue;
    const tree = await treeDigest(skills, skill);
    const trusted = { digest: skill.digest, ...(tree && { tree }) };
    for (const path of files)
      held.push([
        placeIn(project.root, placeOf({ kind: skill.kind, path, directory: dirname(path) })),
        trusted,
      ]);
  }
  return held;
}

export function rootTrust(trust: FolderTrust): RootTrust {
  const { root, skills } = trust;
  const skillAt = skills && ((path: string) => skills.get(placeIn(root, path)));
  return trust.trusted && skillAt !== undefined
    ? { kind: "held", project: root, skillAt }
    : { kind: "untrusted", project: root, skillAt };
}

// A skill that vanished since discovery is recorded without its files.
function treeDigest({ reader }: ProjectSkills, skill: Skill): Promise<ResourceIndex["treeDigest"]> {
  const read = async () => (await reader.indexResources(skill)).treeDigest;
  return onRefusal(read(), () => undefined);
}

function placeIn(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
