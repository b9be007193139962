import { readFile } from "node:fs/promises";

// What the kernel and the distribution say about themselves; a list of mounts can be long, and none is longer.
const MAX_SYSTEM_FILE_CHARACTERS = 1024 * 1024;
const ABSENT = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENODEV", "EOPNOTSUPP", "EINVAL"]);

/** The text of a file of the system, such as one below /proc; undefined where there is none to be read. */
export async function readSystemFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).slice(0, MAX_SYSTEM_FILE_CHARACTERS);
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}
