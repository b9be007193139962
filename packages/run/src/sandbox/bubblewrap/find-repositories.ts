import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, type SkilletError, undefinedOn } from "@skillet/kit/errors";
import { folderRefused } from "../folder-refusal.ts";

interface FoundRepositories {
  /** The paths that Git obeys in each repository: its `.git`, or the folder itself if it is bare. */
  readonly paths: readonly string[];
  /** Folders that cannot be listed, and may contain further repositories. */
  readonly closed: readonly string[];
  readonly isComplete: boolean;
}

// Repositories inside a project are a few folders deep; the report says that deeper ones are not searched.
const MAX_DEPTH = 5;
const MAX_ENTRIES = 200_000;
// Each folder costs three system calls, so it weighs more than an entry.
const MAX_FOLDERS = 20_000;
const MAX_GUARDED = 200;
const LISTED_AT_ONCE = 1024;
const SKIPPED = new Set(["node_modules", ".git"]);
// Git recognises any folder with these entries as a repository, whatever its name.
const MARKS_OF_A_REPOSITORY = ["HEAD", "objects", "refs"];
// Replaces the bytes of a name that are not UTF-8.
const REPLACEMENT = "\uFFFD";

/**
 * Looks for repositories a few levels below a folder, except in installed packages. A folder too large to
 * search is refused: otherwise a script could fill it, and the next run would overlook a repository.
 */
export async function findRepositories(
  root: string,
  { maxEntries = MAX_ENTRIES, maxFolders = MAX_FOLDERS }: { maxEntries?: number; maxFolders?: number } = {},
): Promise<FoundRepositories> {
  const paths: string[] = [];
  const closed: string[] = [];
  let entryCount = 0;
  let folderCount = 0;
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return { paths, closed, isComplete: false };
    folderCount += level.length;
    if (folderCount > maxFolders) throw tooMany(root, `${maxFolders} folders`);
    const next: string[][] = [];
    for (const folder of level) {
      const listed = await list(folder, maxEntries - entryCount);
      if (listed === "too many") throw tooMany(root, `${maxEntries} entries`);
      if (listed === "closed") {
        closed.push(folder);
        continue;
      }
      entryCount += listed.names.length;
      const marks = new Set(listed.names);
      if (folder !== root && MARKS_OF_A_REPOSITORY.every((name) => marks.has(name))) {
        paths.push(folder);
        continue;
      }
      if (marks.has(".git")) paths.push(join(folder, ".git"));
      refuseStrange(root, folder, listed.folders);
      next.push(listed.folders.filter((name) => !SKIPPED.has(name)).map((name) => join(folder, name)));
    }
    level = next.flat();
    if (paths.length + closed.length > MAX_GUARDED)
      throw tooMany(root, `${MAX_GUARDED} repositories and folders that cannot be listed`);
  }
  return { paths, closed, isComplete: true };
}

function tooMany(root: string, what: string): SkilletError {
  return folderRefused(
    root,
    `it has more than ${what}, so the repositories in it cannot be kept safe; grant a smaller folder`,
  );
}

function refuseStrange(root: string, folder: string, names: readonly string[]): void {
  const strange = names.find((name) => name.includes(REPLACEMENT));
  if (strange === undefined) return;
  throw folderRefused(
    root,
    `the name of ${join(folder, strange)} is not UTF-8, so repositories in it cannot be kept safe; rename it, or grant a folder without it`,
  );
}

async function list(
  folder: string,
  most: number,
): Promise<{ names: readonly string[]; folders: readonly string[] } | "closed" | "too many"> {
  // Names that are not UTF-8 may occur twice.
  const names: string[] = [];
  const folders: string[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: LISTED_AT_ONCE })) {
      if (names.length >= most) return "too many";
      names.push(entry.name);
      if (entry.isDirectory()) folders.push(entry.name);
    }
  } catch (error) {
    if (["EACCES", "EPERM"].includes(errorCode(error) ?? "")) return "closed";
    // The folder has disappeared since, as temporary folders do.
    undefinedOn("ENOENT", "ENOTDIR")(error);
  }
  return { names, folders: folders.sort() };
}
