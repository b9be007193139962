import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import { OBEYED_PATHS } from "../sensitive-paths.ts";

/** What is obeyed at the top of writable folders: each path that is there, with where it leads if it is a link. */
export type ObeyedPaths = ReadonlyMap<string, string | undefined>;

/** Looks which names are there that others obey. */
export async function obeyedPathsNow(folders: readonly string[]): Promise<ObeyedPaths> {
  const found = new Map<string, string | undefined>();
  for (const path of folders.flatMap((folder) => OBEYED_PATHS.map((name) => join(folder, name)))) {
    try {
      const isLink = (await lstat(path)).isSymbolicLink();
      found.set(path, isLink ? await readlink(path) : undefined);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "EINVAL"].includes(String(code))) throw error;
    }
  }
  return found;
}

/** What came into being meanwhile, or is another link, or was one: a script made it, and somebody may obey it. */
export function createdPaths(before: ObeyedPaths, after: ObeyedPaths): string[] {
  return [...after]
    .filter(([path, target]) => !before.has(path) || before.get(path) !== target)
    .map(([path]) => path)
    .sort();
}
