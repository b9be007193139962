import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** How many bytes the files below a place have; what disappears meanwhile counts for nothing. */
export async function treeSize(root: string): Promise<number> {
  let bytes = 0;
  for (const pending = [root]; ; ) {
    const path = pending.pop();
    if (path === undefined) return bytes;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      pending.push(...list(path));
      await nextTurn();
    } else bytes += stats?.size ?? 0;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
