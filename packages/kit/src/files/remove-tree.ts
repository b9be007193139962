import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { undefinedOn } from "../errors.ts";

/** Removes a file or folder with its contents, even if read-only; follows no link. It may be missing. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    undefinedOn("EACCES", "EPERM", "ENOTEMPTY")(error);
    // Only a folder's mode can be the obstacle; the mode of a link's target is never changed.
    if (!lstatSync(path).isDirectory()) throw error;
    makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

// Top down: a folder must be made accessible before its contents can be listed.
function makeWritable(folder: string): void {
  try {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) makeWritable(join(folder, entry.name));
  } catch (error) {
    // Another process is removing it at the same time.
    undefinedOn("ENOENT")(error);
  }
}
