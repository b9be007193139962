import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";

export interface ContentParts {
  /** A command consists of its single file. */
  readonly kind: "skill" | "command";
  /** The digest of a skill's tree or of a command's file. */
  readonly treeDigest?: Digest | undefined;
  /** Digest of SKILL.md's target if it is a link: the tree digest covers only a link's text. */
  readonly linkedSkill?: Digest | undefined;
  /** What the skill's text can reach outside its tree: nested skills, repository files, link targets. */
  readonly beyond?: readonly TreeEntry[];
}

/**
 * The tree digest for an ordinary skill. Anything else is hashed with a prefix that no list of a tree begins
 * with, so that the text of a command can never pass for the folder of a skill.
 */
export function contentDigest({
  kind,
  treeDigest,
  linkedSkill,
  beyond = [],
}: ContentParts): Digest | undefined {
  if (treeDigest === undefined) return undefined;
  if (kind === "skill" && linkedSkill === undefined && beyond.length === 0) return treeDigest;
  const parts = [kind, treeDigest, linkedSkill ?? "", beyond.length === 0 ? "" : digestTree(beyond)];
  return digestBytes(Buffer.from(`skillet vetting\0${parts.join("\0")}\n`));
}
