import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "@skillet/kit/errors";

/** Removes a folder with all that is in it, or a link and never what it leads to; nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EACCES" && code !== "EPERM" && code !== "ENOTEMPTY") throw error;
    // Somebody made a folder in it read-only, which keeps its owner from emptying it.
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openFolders(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
}
