import { relative, sep } from "node:path";
import type { Digest } from "../digest.ts";
import type { Skill } from "../registry/skill.ts";
import type { RootTrust } from "../registry/skill-root.ts";
import type { FolderTrust } from "../trust/trust-of.ts";

/** What a project holds now, in the form that `trustFolder` records: place in the project, and digest. */
export function projectSkills(
  skills: readonly Skill[],
  projectRoot: string,
): [path: string, digest: Digest][] {
  return skills
    .filter(({ scope }) => scope === "project" || scope === "claude")
    .map((skill) => [
      placeIn(projectRoot, skill.kind === "command" ? skill.path : skill.directory),
      skill.digest,
    ]);
}

/** What a project's entry in the trust store means for its roots. */
export function rootTrust(trust: FolderTrust): RootTrust {
  if (!trust.trusted) return { kind: "untrusted", project: trust.root };
  return {
    kind: "held",
    project: trust.root,
    digestOf: (path) => trust.skills.get(placeIn(trust.root, path)),
  };
}

function placeIn(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
