import { type Digest, digestTree, type TreeEntry } from "@skillet/kit/digest";

/** The digests under which the skills of a tree are offered: a skill's own, or those of each folder with a SKILL.md. */
export function offeredDigestsIn(kind: "skill" | "plugin", entries: readonly TreeEntry[]): readonly Digest[] {
  if (kind === "skill") return [digestTree(entries)];
  const folders = entries
    .filter(({ path }) => /(?:^|\/)(?:SKILL|skill)\.md$/.test(path))
    .map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  return [...new Set(folders)].map((folder) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const own = entries.filter(({ path }) => path.startsWith(prefix));
    return digestTree(own.map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) })));
  });
}
