import { readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** What the folders of all groups begin with; the number of the process that made one comes next. */
export const LIMIT_GROUP_PREFIX = "skillet-";

// Between its making and its first process a group is empty; its maker may be in a namespace that we cannot see into.
const LEFT_AFTER_MS = 60 * 1000;

/** Removes groups that a crash left behind; those that still hold a process stay, since the kernel keeps them. */
export async function removeLeftGroups(parent: string, nowMs: number = Date.now()): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^skillet-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(parent, name);
    try {
      const { mtimeMs } = await stat(folder);
      if (nowMs - mtimeMs > LEFT_AFTER_MS) await rmdir(folder);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      // Still in use, somebody else's, or gone already.
      if (code !== "EBUSY" && code !== "EACCES" && code !== "EPERM" && code !== "ENOENT") throw error;
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
