import { chmodSync, type Dirent, lstatSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a file or a folder with all that is in it, read-only folders too; no link is followed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    // Only a folder can be in its own way; the mode of what a link leads to is nobody's business here.
    if (!isInTheWay(error) || !lstatSync(path).isDirectory()) throw error;
    makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

// Depth first and by hand: a folder that may not be listed has to be opened up before its content is known.
function makeWritable(root: string): void {
  for (const pending = [root]; ; ) {
    const folder = pending.pop();
    if (folder === undefined) return;
    for (const entry of openUp(folder)) if (entry.isDirectory()) pending.push(join(folder, entry.name));
  }
}

function openUp(folder: string): Dirent[] {
  try {
    chmodSync(folder, 0o700);
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Somebody else removes it at the same time.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function isInTheWay(error: unknown): boolean {
  return ["EACCES", "EPERM", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "");
}
