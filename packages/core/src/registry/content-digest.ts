import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";

export interface ContentParts {
  /** Of a command, its one file is all there is. */
  readonly kind: "skill" | "command";
  /** Of a skill its tree's digest, of a command its file's. */
  readonly treeDigest?: Digest | undefined;
  /** Of the file that SKILL.md leads to, where it is a link: a tree counts a link as its text. */
  readonly linkedSkill?: Digest | undefined;
  /** Everything else that its text can reach and no tree counts: nested skills, repository files, link targets. */
  readonly beyond?: readonly TreeEntry[];
}

/**
 * Of an ordinary skill, that of its tree. Whatever is more or less is hashed under a name of its own, with
 * which no list of a tree begins, so that the text of a command can never stand for the folder of a skill.
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
