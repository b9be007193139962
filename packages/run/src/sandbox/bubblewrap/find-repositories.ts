import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** The repositories below a folder, and whether all of it was searched. */
export interface FoundRepositories {
  /** Paths of what Git obeys in each: its `.git`, or a bare repository itself. */
  readonly paths: readonly string[];
  readonly isComplete: boolean;
}

// Repositories inside a project lie a few folders deep; the rest is for the report to say.
const MAX_DEPTH = 5;
const MAX_ENTRIES = 10_000;
const MAX_REPOSITORIES = 50;
const SKIPPED = new Set(["node_modules", ".git"]);
// By these Git itself takes a folder for a repository, whatever it is called.
const MARKS_OF_A_REPOSITORY = ["HEAD", "objects", "refs"];

/** Looks for repositories below a folder, the nearest first, within bounds; installed packages are passed over. */
export async function findRepositories(root: string): Promise<FoundRepositories> {
  const paths: string[] = [];
  let isComplete = true;
  let left = MAX_ENTRIES;
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return { paths, isComplete: false };
    const next: string[] = [];
    for (const folder of level) {
      const { names, folders, isWhole } = await list(folder, left);
      left -= names.size;
      isComplete &&= isWhole;
      if (folder !== root && MARKS_OF_A_REPOSITORY.every((name) => names.has(name))) {
        paths.push(folder);
        continue;
      }
      if (names.has(".git")) paths.push(join(folder, ".git"));
      next.push(...folders.filter((name) => !SKIPPED.has(name)).map((name) => join(folder, name)));
    }
    level = next;
    if (paths.length > MAX_REPOSITORIES)
      return { paths: paths.slice(0, MAX_REPOSITORIES), isComplete: false };
  }
  return { paths, isComplete };
}

interface Listed {
  readonly names: ReadonlySet<string>;
  readonly folders: readonly string[];
  readonly isWhole: boolean;
}

async function list(folder: string, most: number): Promise<Listed> {
  const names = new Set<string>();
  const folders: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (names.size >= most) return { names, folders: folders.sort(), isWhole: false };
      names.add(entry.name);
      if (entry.isDirectory()) folders.push(entry.name);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES") return { names, folders: [], isWhole: false };
    // Gone in the meantime, as temporary folders go.
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  return { names, folders: folders.sort(), isWhole: true };
}
