import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes a folder with staged skills in it, whose folders nobody but root could remove as they are. */
export function removeFolder(folder: string): void {
  unlock(folder);
  rmSync(folder, { recursive: true, force: true });
}

function unlock(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) unlock(join(folder, entry.name));
}
