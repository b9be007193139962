import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { folderRefused } from "../folder-refusal.ts";

// A home with more is no ordinary one, and each hidden name costs a mount.
const MAX_HOME_ENTRIES = 20_000;
// Programs of Ubuntu keep there what others keep behind a dot.
const LIKE_DOTS = new Set(["snap"]);

/** Where the programs of a user keep settings, histories and credentials: all that begins with a dot. */
export async function homeEntries(home: string): Promise<string[]> {
  const found: string[] = [];
  let count = 0;
  try {
    for await (const { name } of await opendir(home)) {
      count += 1;
      if (count > MAX_HOME_ENTRIES)
        throw folderRefused(
          home,
          `it is a home with more than ${MAX_HOME_ENTRIES} entries; take a project's folder`,
        );
      if (name.startsWith(".") || LIKE_DOTS.has(name)) found.push(join(home, name));
    }
  } catch (error) {
    // Whoever cannot list it here cannot list it inside; what is known by name is hidden all the same.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw error;
  }
  return found.sort();
}
