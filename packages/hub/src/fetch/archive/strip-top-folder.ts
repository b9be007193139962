import type { TreeFile } from "@skillet/core";

/**
 * Takes off the one folder that lies around everything, as hosts and package managers add it; nothing where SKILL.md
 * is at the root, or where that folder means something by its name.
 */
export function stripTopFolder(files: readonly TreeFile[]): readonly TreeFile[] {
  const [first] = files;
  const end = first?.path.indexOf("/") ?? -1;
  if (first === undefined || end < 0) return files;
  const top = first.path.slice(0, end + 1);
  const isMeant = top === "skills/" || top.startsWith(".");
  if (isMeant || !files.every(({ path }) => path.startsWith(top))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(top.length) }));
}
