import { dirname, relative, sep } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { isInside } from "@skillet/kit/files";
import { showName } from "@skillet/kit/text";
import type { ResourceIndex } from "../registry/resource.ts";
import { needsTrust, type Skill } from "../registry/skill.ts";
import { placeOf, type RootTrust, trustedAs } from "../registry/skill-root.ts";
import type { FolderTrust, TrustedSkill } from "../trust/trust-store.ts";
import type { Skills } from "./skills.ts";

type ProjectSkills = Pick<Skills, "snapshot" | "project"> & {
  readonly reader: Pick<Skills["reader"], "indexResources">;
};

/**
 * A project's skills as they are now, in the form that `trustFolder` records; every file of them is read.
 *
 * A copy that is listed once stands here in each of its places: approving one approves the other.
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
  if (!trust.trusted) return { kind: "untrusted", project: trust.root };
  return {
    kind: "held",
    project: trust.root,
    skillAt: (path) => trust.skills.get(placeIn(trust.root, path)),
  };
}

async function treeDigest(skills: ProjectSkills, skill: Skill): Promise<ResourceIndex["treeDigest"]> {
  try {
    return (await skills.reader.indexResources(skill)).treeDigest;
  } catch (error) {
    // It vanished after it was found; what is trusted then is what was found, without its files.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

function placeIn(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

/** Whether a skill is, file for file, what was approved. */
export interface TrustVerification {
  /** `unneeded` outside projects; `unknown` when the files were not seen whole, then or now. */
  readonly outcome: "unneeded" | "unchanged" | "changed" | "unknown" | "untrusted";
  readonly reason: string;
}

/** Holds all files of a skill against what was recorded when its folder was trusted; discovery looks at SKILL.md alone. */
export async function verifyTrust(
  skill: Skill,
  trust: RootTrust,
  readIndex: () => Promise<ResourceIndex>,
  content?: Digest,
): Promise<TrustVerification> {
  const { held, untrusted } = trustedAs(trust, skill);
  if (untrusted !== undefined) return { outcome: "untrusted", reason: untrusted };
  if (held === undefined || trust.kind === "trusted")
    return { outcome: "unneeded", reason: "it does not belong to a project" };
  if (held.tree === undefined)
    return { outcome: "unknown", reason: "its files were not recorded with the trust; run: skillet trust" };
  // The content of an ordinary skill is its tree; of others the tree must be read.
  const { treeDigest, diagnostics } =
    content === held.tree ? { treeDigest: content, diagnostics: [] } : await readIndex();
  if (treeDigest === undefined) {
    const why = diagnostics.find(({ severity }) => severity === "error");
    return {
      outcome: "unknown",
      reason:
        `its files cannot all be read: ${showName(why?.file ?? "?")}: ${why?.message} ${why?.hint ?? ""}`.trim(),
    };
  }
  return treeDigest === held.tree
    ? { outcome: "unchanged", reason: `it is what it was when ${trust.project} was trusted` }
    : {
        outcome: "changed",
        reason: "its files are not those that were trusted; read the change, then run: skillet trust",
      };
}
