import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Every folder below a root that has a SKILL.md, relative to it. */
export function skillFolders(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.toLowerCase() === "skill.md")
    .map((entry) => relative(root, dirname(join(entry.parentPath, entry.name))))
    .sort();
}
