import { constants } from "node:fs";
import { access } from "node:fs/promises";

// Not the caller's PATH: what stands there may be a project's.
const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];

/** The absolute path of a program of the system. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of FOLDERS) if (await canStart(`${folder}/${name}`)) return `${folder}/${name}`;
  return undefined;
}

/** Whether there is a program that this user may start. */
export async function canStart(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") return false;
    throw error;
  }
}
